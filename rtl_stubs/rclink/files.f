// Sources of the RCLINK stand-in in compile order, paths relative to rtl_stubs.
// Include folders: common, rclink. Top module: rclink.
rclink/rclink.sv
