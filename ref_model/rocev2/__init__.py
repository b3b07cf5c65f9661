"""RoCEv2 transport rules shared by model and partner."""
