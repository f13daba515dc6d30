# GoogleTest binaries as lit tests: every TEST is counted and filtered like a lit test.
import os

import lit.formats

config.name = "unit"
config.test_source_root = os.path.join(config.sheaf_build, "test", "unit")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest("", "_test")
config.environment["ASAN_OPTIONS"] = "allow_user_poisoning=0:detect_leaks=0"
config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
