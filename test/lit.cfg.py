# How the tests of this folder run: RUN lines, the tools they may call, what they may require.
import os
import shutil
import subprocess

import lit.formats

config.name = "sheaf"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.join(config.sheaf_source, "test")
config.test_exec_root = os.path.join(config.sheaf_build, "test")
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "Inputs", "CMakeLists.txt"]

# Tools are found by name: ours first, then LLVM's (FileCheck, not, split-file), then `python`.
tool_folders = [
    os.path.join(config.sheaf_build, "bin"),
    config.llvm_tools,
    os.path.dirname(config.python),
]
config.environment["PATH"] = os.pathsep.join(tool_folders + [os.environ.get("PATH", "")])
config.environment["PYTHONPATH"] = config.test_source_root
config.substitutions.append(("%python", config.python))
config.substitutions.append(("%source", config.sheaf_source))
config.substitutions.append(("%unit", os.path.join(config.sheaf_build, "test", "unit")))
# More ranks than cores, as root in containers too; a run that hangs is ended. Ranks don't yield: docs/running.md.
config.substitutions.append(("%mpi", "--oversubscribe --bind-to none --allow-run-as-root --timeout 300 "
                                     "--mca mpi_yield_when_idle 0"))

# Models and expected results that are not part of this repository. Tests that need them say
# `REQUIRES: shared` and read them at %shared; without them they count as skipped.
shared = os.environ.get("SHEAF_SHARED", os.path.join(config.sheaf_source, "..", "shared"))
config.substitutions.append(("%shared", os.path.abspath(shared)))
config.environment["SHEAF_SHARED"] = os.path.abspath(shared)
if os.path.isdir(shared):
    config.available_features.add("shared")

# ONNX's backend tests at older opsets, a Debian package.
if os.path.isdir("/usr/share/libonnx-testdata/data"):
    config.available_features.add("onnx-testdata")

# Hosts that are namespaces of this machine take root, and a kernel that lets it make them. Slurm's packages start
# services, so nobody gets them from `./dev deps`: apt-get install --no-install-recommends slurm-wlm munge
make_host = ("mount -t tmpfs tmpfs /mnt && ip link add br0 type bridge && "
             "ip link add port0 type veth peer name eth0")
if shutil.which("ip") and subprocess.run(["unshare", "-n", "-u", "-m", "-i", "sh", "-c", make_host],
                                         capture_output=True).returncode == 0:
    config.available_features.add("hosts")
if all(map(shutil.which, ["munged", "slurmctld", "slurmd", "srun"])):
    config.available_features.add("slurm")

# A part of PyTorch, which `./dev deps` does not install: pip install torch, and have it on the PATH.
if shutil.which("torchrun"):
    config.available_features.add("torchrun")

# NVIDIA's assembler, as part of the CUDA toolkit: no device is needed.
if shutil.which("ptxas"):
    config.available_features.add("ptxas")

# A large package for one test, gradients of whole models: `./dev deps` does not install it.
if not subprocess.run([config.python, "-c", "import jax"], capture_output=True).returncode:
    config.available_features.add("jax")

# Libraries that stand in for CUDA's, built where the toolkit's headers are.
standin = os.path.join(config.sheaf_build, "test", "standin", "lib")
config.substitutions.append(("%standin", standin))
if os.path.exists(os.path.join(standin, "libcudart.so.13")):
    config.available_features.add("cuda-standin")
# What tests are to run on (driver/tools.py, runtime/device_under_test.h); those of cuda*.test say so themselves.
# Some meshes have more ranks than a machine has GPUs.
on_gpus = {"SHEAF_TEST_TARGET": "cuda", "LD_LIBRARY_PATH": standin, "SHEAF_STANDIN_DEVICES": "64"}
settings = " ".join(f"{name}={value}" for name, value in on_gpus.items())
config.substitutions.append(("%cuda", f"env {settings} {config.python}"))
if os.environ.get("SHEAF_TEST_TARGET") == "cuda":
    config.environment.update(on_gpus)
# How many times as long as else a program may take (driver/tools.py).
if "SHEAF_TEST_PATIENCE" in os.environ:
    config.environment["SHEAF_TEST_PATIENCE"] = os.environ["SHEAF_TEST_PATIENCE"]

# The packages are not instrumented: LLVM's allocators poison in our code what theirs then uses.
config.environment["ASAN_OPTIONS"] = "allow_user_poisoning=0:detect_leaks=0"
config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
for sanitizer in filter(None, config.sanitizers.split(",")):
    config.available_features.add(sanitizer + "-sanitizer")
