// Sources of the ERNIC stand-in in compile order, paths relative to rtl_stubs.
// Include folders: common, ernic. Top modules: ernic_elastic (shell, transparent without +ELASTIC) or ernic.
common/frame_fifo.sv
common/axi_read_mover.sv
common/axi_write_mover.sv
common/elastic_gate.sv
ernic/ernic_pkg.sv
ernic/ernic_rx_buffer.sv
ernic/ernic_tx_builder.sv
ernic/ernic_tx_mux.sv
ernic/ernic_retry_writer.sv
ernic/ernic_pause.sv
ernic/ernic_core.sv
ernic/ernic.sv
common/ernic_elastic.sv
