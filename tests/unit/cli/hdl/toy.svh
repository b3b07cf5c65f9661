`define TOY_STEP 1
