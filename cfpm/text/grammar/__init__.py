"""The parts of an English or Chinese sentence that must agree before two sentences count as one."""
