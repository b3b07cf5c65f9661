// Sources of the Hermon CQ engine stand-in in compile order, paths relative to rtl_stubs.
// Include folders: common, hermon_cq. Top module: hermon_cq.
hermon_cq/hermon_cq.sv
