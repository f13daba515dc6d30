"""Runs an executable on several ranks, does something bad to them, and prints how the job ended.

Usage: python -m e2e.nodes.fault FOLDER [options]. FOLDER holds model.sheaf and the other files of a rank.
After what the job printed come its exit code and the processes that it left behind. For several numbers
of hosts all that is done at once, and printed one after the other.
"""

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from e2e.nodes import processes
from e2e.nodes.hosts import NETWORK, Hosts
from e2e.nodes.job import Job
from e2e.nodes.slurm import Slurm
from e2e.nodes.variables import Torchrun, Variables

# A host that does not answer is noticed after 1 + 3 x 1 s, not 8 minutes; see docs/running.md.
_FAIL_FAST = {"oob_tcp_keepalive_time": 1, "oob_tcp_keepalive_intvl": 1,
              "oob_tcp_keepalive_probes": 3, "odls_base_sigkill_timeout": 0}
# More ranks than cores, and traffic that stays on the network of the hosts.
_SHARED_CORES = {"hwloc_base_binding_policy": "none", "rmaps_base_oversubscribe": 1,
                 "mpi_yield_when_idle": 0}
_BETWEEN_HOSTS = {"oob_tcp_if_include": NETWORK, "btl_tcp_if_include": NETWORK, "pml": "ob1",
                  "btl": "self,vader,tcp", "orte_tmpdir_base": "/var/tmp"}
# Nothing here takes so long, on any machine.
_LIMIT_S = 180


def _mca(settings):
    return {f"OMPI_MCA_{name}": str(value) for name, value in settings.items()}


class Mpirun:
    """Starts jobs by mpirun, on this machine when there are no hosts."""

    def __init__(self, hosts):
        self.hosts = hosts
        self.environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            **_mca({**_FAIL_FAST, **_SHARED_CORES})}
        if hosts:
            self.environment |= _mca({**_BETWEEN_HOSTS, "plm": "rsh",
                                      "plm_rsh_agent": hosts.write_remote_shell()})

    def command(self, num_ranks, folder, command):
        launch = ["mpirun", "-wdir", str(folder), "-n", str(num_ranks)]
        if not self.hosts:
            return launch + command
        slots = -(-num_ranks // len(self.hosts.names))
        places = ",".join(f"{name}:{slots}" for name in self.hosts.names)
        return self.hosts.inside(self.hosts.names[0], *launch, "-H", places, *command)

    def standing_processes(self):
        """What is there without a job."""
        return []


class Srun:
    """Starts jobs by srun."""

    def __init__(self, hosts, slurm):
        self.hosts = hosts
        self.slurm = slurm
        # With the default, "mixed", a rank now and then leaves MPI_Init before all are in it, and the
        # message that it sends crashes one that is not: 1 start of 20 on four hosts, Slurm 22.05.
        self.environment = {**slurm.environment, "SLURM_PMIX_FENCE": "tree",
                            **_mca({**_BETWEEN_HOSTS, **_SHARED_CORES})}

    def command(self, num_ranks, folder, command):
        num_hosts = len(self.hosts.names)
        return self.hosts.inside(
            self.hosts.names[0], "srun", "--mpi=pmix", "--kill-on-bad-exit=1", f"-N{num_hosts}",
            f"-n{num_ranks}", f"--ntasks-per-node={-(-num_ranks // num_hosts)}", "-D", folder,
            *command)

    def standing_processes(self):
        return self.slurm.processes


def _parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", metavar="FOLDER", type=Path)
    parser.add_argument("--hosts", type=lambda text: list(map(int, text.split(","))), default=[0],
                        metavar="N,N", help="numbers of hosts; 0: this machine is the only one")
    parser.add_argument("--launcher", choices=["mpirun", "srun", "variables", "torchrun"],
                        default="mpirun")
    parser.add_argument("--standin", metavar="FOLDER", help="of libraries in place of CUDA's, without MPI")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--kill", type=int, metavar="RANK")
    parser.add_argument("--stop", type=int, metavar="RANK")
    parser.add_argument("--stop-at-start", type=int, metavar="RANK")
    parser.add_argument("--cut", action="store_true", help="the network of the last host")
    parser.add_argument("--remove", metavar="RANK/FILE", help="before the start")
    parser.add_argument("--replace", metavar="RANK/FILE=FILE", help="before the start")
    parser.add_argument("--timeout", type=int, default=60, help="of shard-run, in seconds")
    return parser.parse_args()


def _prepare(job, options):
    if options.stop_at_start is not None:
        job.stop_at_start(options.stop_at_start)
    job.give([file for file in options.files.iterdir() if file.is_file()])
    if options.remove:
        (job.folder / f"rank{options.remove}").unlink()
    if options.replace:
        there, _, file = options.replace.partition("=")
        shutil.copy(options.files / file, job.folder / f"rank{there}")


def _strike(job, hosts, options):
    """Does what was asked for to a job that runs."""
    job.wait_until_running("model.sheaf", timeout_s=_LIMIT_S)
    if options.kill is not None:
        processes.send(job.pid(options.kill), signal.SIGKILL)
    if options.stop is not None:
        processes.send(job.pid(options.stop), signal.SIGSTOP)
    if options.cut:
        hosts.cut(hosts.names[-1])


def _left_behind(job, hosts, launcher):
    """Describes what still lives some seconds after the end."""
    def find():
        on_hosts = [pid for name in hosts.names for pid in hosts.processes(name)] if hosts else []
        return set(job.processes() + on_hosts) - set(launcher.standing_processes())

    processes.wait_until(lambda: not find(), timeout_s=30)
    return [processes.describe(pid) for pid in sorted(find())]


def _run(folder, hosts, launcher, options):
    with Job(folder, options.ranks) as job:
        _prepare(job, options)
        # A job to strike must not end before.
        is_endless = options.kill is not None or options.stop is not None or options.cut
        command = job.command_of_rank(
            shutil.which("shard-run"), "model.sheaf", "--random-inputs", "--timeout",
            str(options.timeout), "--repeat", str(1 << 30 if is_endless else 1))
        job.start(launcher.command(options.ranks, folder, command), launcher.environment)
        if is_endless:
            _strike(job, hosts, options)
        outcome = job.finish(_LIMIT_S)
        if options.cut and options.launcher == "srun":
            # Slurm keeps a step on a host that it can't reach; the ranks must be gone all the same.
            processes.wait_until(lambda: not job.processes(), timeout_s=30)
            print("ranks left behind:", len(job.processes()))
            hosts.mend(hosts.names[-1])
        left = _left_behind(job, hosts, launcher)
    print(outcome.text)
    if outcome.code is None:
        print(f"no end within {_LIMIT_S} s")
    print(f"ended after {outcome.seconds:.1f} s")
    print("exit code:", outcome.code)
    print("left behind:", len(left), *left)


def _run_on(num_hosts, options):
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="sheaf-nodes-"))
        hosts = stack.enter_context(Hosts(num_hosts, folder)) if num_hosts else None
        if options.launcher == "srun":
            launcher = Srun(hosts, stack.enter_context(Slurm(hosts)))
        elif options.launcher == "mpirun":
            launcher = Mpirun(hosts)
        else:
            launcher = {"variables": Variables, "torchrun": Torchrun}[options.launcher](hosts, options.standin)
        job_folder = Path(folder) / "job"
        job_folder.mkdir()
        _run(job_folder, hosts, launcher, options)


def _run_each(counts):
    """This script once for each number of hosts; they end with this process."""
    with contextlib.ExitStack() as stack:
        runs = []
        for count in counts:
            run = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", sys.executable, "-m", "e2e.nodes.fault",
                 *sys.argv[1:], "--hosts", str(count)],
                stdout=subprocess.PIPE, text=True)
            stack.callback(run.wait)
            runs.append(run)
        stack.callback(lambda: [run.terminate() for run in runs])
        for count, run in zip(counts, runs):
            print(f"== {count} hosts\n{run.communicate()[0]}")
        return int(any(run.returncode for run in runs))


def main():
    options = _parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    os.environ.pop("OMP_PROC_BIND", None)
    if len(options.hosts) > 1:
        sys.exit(_run_each(options.hosts))
    _run_on(options.hosts[0], options)


if __name__ == "__main__":
    main()
