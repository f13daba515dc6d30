"""A Slurm cluster on hosts: one controller, one daemon each, and authentication of its own."""

import os
import subprocess
from pathlib import Path

from e2e.nodes import processes

_CONFIGURATION = """
ClusterName=test
SlurmctldHost={first}({address})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=pmix
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SlurmdTimeout=60
KillWait=2
MessageTimeout=5
TCPTimeout=2
{nodes}
PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE
"""


class Slurm(processes.Made):
    """A cluster over `hosts`, from entering it as a context to leaving it."""

    def __init__(self, hosts):
        self.hosts = hosts
        self.folder = Path(hosts.folder) / "slurm"
        self.environment = {"SLURM_CONF": str(self.folder / "slurm.conf")}
        self.processes = []  # on the hosts, those that are there whether or not a job runs
        self._daemons = []

    def make(self):
        first = self.hosts.names[0]
        for folder in ["state", "log", *(f"spool/{name}" for name in self.hosts.names)]:
            (self.folder / folder).mkdir(parents=True)
        self.folder.chmod(0o755)
        nodes = "\n".join(f"NodeName={name} NodeAddr={self.hosts.address(name)} CPUs=4 "
                          "RealMemory=1000" for name in self.hosts.names)
        self._write("slurm.conf", _CONFIGURATION.format(
            first=first, address=self.hosts.address(first), folder=self.folder, nodes=nodes))
        self._write("cgroup.conf", "CgroupPlugin=cgroup/v1\n")
        self._write("mpi.conf", "PMIxCliTmpDirBase=/var/tmp\n")  # a host's own
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self._start(self.hosts.inside(
            first, "munged", "-F", "--force", f"--key-file={key}",
            f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munge.pid",
            f"--log-file={self.folder}/log/munge.log", f"--seed-file={self.folder}/munge.seed"))
        if not processes.wait_until((self.folder / "munge.socket").exists, timeout_s=30):
            raise RuntimeError(f"munged did not start\n{self._logs()}")
        self._start(self.hosts.inside(first, "slurmctld", "-D", "-c"))
        for name in self.hosts.names:
            self._start(self.hosts.inside(name, "slurmd", "-D"))
        if not processes.wait_until(self._is_idle, timeout_s=60):
            raise RuntimeError(f"the cluster did not start\n{self._logs()}")
        self.processes = [pid for name in self.hosts.names for pid in self.hosts.processes(name)]

    def _is_idle(self):
        state = subprocess.run(
            self.hosts.inside(self.hosts.names[0], "sinfo", "-h", "-N", "-o", "%T"), text=True,
            capture_output=True, env={**os.environ, **self.environment}, check=False, timeout=30)
        return state.stdout.split() == ["idle"] * len(self.hosts.names)

    def _write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def _start(self, command):
        self._daemons.append(subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, **self.environment},
            start_new_session=True))

    def _logs(self):
        return "\n".join(f"{log.name}:\n{log.read_text(errors='replace')[-2000:]}"
                         for log in sorted((self.folder / "log").iterdir()))

    def end(self):
        # They have nothing to save, and would wait for a step that is stuck.
        for daemon in self._daemons:
            daemon.kill()
        for daemon in self._daemons:
            daemon.wait()
