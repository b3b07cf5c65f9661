// SPDX-License-Identifier: BSD-3-Clause
// Contested points: the HDL parameter is the start value, the plusarg +<KNOB>=<n> of the binding decides.

integer k_stride = STRIDE;
integer k_cap_mode = CAP_MODE;
integer k_arm_rule = ARM_RULE;
integer k_sn_mode = SN_MODE;
integer k_init_by_fw = INIT_BY_FW;
integer k_create_st = CREATE_ST_ACCEPT;
integer k_rsvd_mode = RSVD_MODE;
integer k_bad_uar = BAD_UAR_MODE;
integer k_armn_passed = ARMN_PASSED;
integer k_sol_breaks = SOL_BREAKS_MOD;
integer k_rsz_event = RSZ_EVENT;
integer k_cc_owner = CC_OWNER;
integer k_cc_cap = CC_CAP;
integer k_dbrec_arm = DBREC_ARM;
integer k_eq_full = EQ_FULL_MODE;
integer k_max_log = MAX_LOG_CQ;
integer k_rsvd_cqs = RSVD_CQS;
integer k_has_sts = HAS_CPL_STS;
integer k_clk_per_us = CLK_PER_US;

integer variant = 0;               // legal variant, see README.md
integer k_n;

initial begin
  if (!$value$plusargs("VARIANT=%d", variant)) variant = 0;
  if ($value$plusargs("STRIDE=%d", k_n)) k_stride = k_n;
  if ($value$plusargs("CAP_MODE=%d", k_n)) k_cap_mode = k_n;
  if ($value$plusargs("ARM_RULE=%d", k_n)) k_arm_rule = k_n;
  if ($value$plusargs("SN_MODE=%d", k_n)) k_sn_mode = k_n;
  if ($value$plusargs("INIT_BY_FW=%d", k_n)) k_init_by_fw = k_n;
  if ($value$plusargs("CREATE_ST_ACCEPT=%d", k_n)) k_create_st = k_n;
  if ($value$plusargs("RSVD_MODE=%d", k_n)) k_rsvd_mode = k_n;
  if ($value$plusargs("BAD_UAR_MODE=%d", k_n)) k_bad_uar = k_n;
  if ($value$plusargs("ARMN_PASSED=%d", k_n)) k_armn_passed = k_n;
  if ($value$plusargs("SOL_BREAKS_MOD=%d", k_n)) k_sol_breaks = k_n;
  if ($value$plusargs("RSZ_EVENT=%d", k_n)) k_rsz_event = k_n;
  if ($value$plusargs("CC_OWNER=%d", k_n)) k_cc_owner = k_n;
  if ($value$plusargs("CC_CAP=%d", k_n)) k_cc_cap = k_n;
  if ($value$plusargs("DBREC_ARM=%d", k_n)) k_dbrec_arm = k_n;
  if ($value$plusargs("EQ_FULL_MODE=%d", k_n)) k_eq_full = k_n;
  if ($value$plusargs("MAX_LOG_CQ=%d", k_n)) k_max_log = k_n;
  if ($value$plusargs("RSVD_CQS=%d", k_n)) k_rsvd_cqs = k_n;
  if ($value$plusargs("HAS_CPL_STS=%d", k_n)) k_has_sts = k_n;
  if ($value$plusargs("CLK_PER_US=%d", k_n)) k_clk_per_us = k_n;
end

localparam ALL_VARIANTS = 30;

// Whether the freedom of variant n is taken; ALL_VARIANTS takes all of them at once.
function automatic takes(input integer n);
  takes = (variant == n) || (variant == ALL_VARIANTS);
endfunction
