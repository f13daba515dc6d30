"""Starts jobs whose ranks are placed by variables of the environment, without MPI."""

import os
import shlex
import shutil

# Ranks meet at the one behind it.
_PORT = 29500


def _script(commands):
    """Runs all at once; ends when all have, as the first did."""
    lines = [shlex.join(map(os.fspath, command)) + " &" for command in commands]
    return ["sh", "-c", "\n".join([lines[0], "first=$!", *lines[1:], "wait $first", "code=$?", "wait", "exit $code"])]


class _Launcher:
    environment = {}

    def __init__(self, hosts, standin):
        self.hosts = hosts
        self.standin = standin

    def of_rank(self, folder, command):
        """The command of a rank. Libraries in place of CUDA's are nothing for its launcher."""
        if not self.standin:
            return command
        # NCCL's sends letters through files of a folder that all hosts share.
        return ["env", f"LD_LIBRARY_PATH={self.standin}", f"TMPDIR={folder}", *command]

    def standing_processes(self):
        """What is there without a job."""
        return []


class Variables(_Launcher):
    """Starts each rank itself, as scripts and the operators of Kubernetes do."""

    def command(self, num_ranks, folder, command):
        names = self.hosts.names
        per_host = -(-num_ranks // len(names))

        def start(rank):
            place = {"RANK": rank, "WORLD_SIZE": num_ranks, "LOCAL_RANK": rank % per_host,
                     "MASTER_ADDR": names[0], "MASTER_PORT": _PORT}
            return self.hosts.inside(names[rank // per_host], "env",
                                     *(f"{name}={value}" for name, value in place.items()),
                                     *self.of_rank(folder, command))

        return _script(map(start, range(num_ranks)))


class Torchrun(_Launcher):
    """Starts an agent of torchrun on each host, which starts the ranks there and owns MASTER_PORT."""

    def command(self, num_ranks, folder, command):
        names = self.hosts.names

        def start(host):
            return self.hosts.inside(names[host], shutil.which("torchrun"), "--no-python", f"--nnodes={len(names)}",
                                     f"--nproc-per-node={num_ranks // len(names)}", f"--node-rank={host}",
                                     f"--master-addr={names[0]}", f"--master-port={_PORT}",
                                     *self.of_rank(folder, command))

        return _script(map(start, range(len(names))))
