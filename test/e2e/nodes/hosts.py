"""Hosts that are namespaces of this machine, joined by a bridge.

Each has its own network, hostname, /dev/shm, /var/tmp and /etc/hosts; files are shared, as on a
cluster with a network file system. The namespaces have no names: they end with the processes in
them. The process that holds one open ends with this one, however that ends, and then kills the rest.
"""

import os
import subprocess
from pathlib import Path

from e2e.nodes import processes

NETWORK = "10.77.0.0/24"

_HOLD = """
hostname "$1"
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /var/tmp
mount --bind "$2" /etc/hosts
ip link set lo up
echo ready
read -r _
exec 2>/dev/null  # processes end meanwhile
for link in $(find -L /proc/[0-9]*/ns/net -samefile /proc/$$/ns/net); do
  pid=${link#/proc/}
  pid=${pid%%/*}
  [ $pid = $$ ] || kill -KILL $pid
done
"""
_HOLD_NETWORK = "ip link add br0 type bridge && ip link set br0 up && echo ready && read -r _"


class Hosts(processes.Made):
    """`count` hosts, node0 and so on, from entering it as a context to leaving it."""

    def __init__(self, count, folder):
        self.names = [f"node{index}" for index in range(count)]
        self.folder = Path(folder)
        self._holders = {}

    def address(self, name):
        return f"10.77.0.{self.names.index(name) + 1}"

    def inside(self, name, *command):
        """The command line that runs `command` on a host. It starts in the root folder."""
        return ["nsenter", "-t", str(self._holders[name].pid), "-n", "-u", "-m", "-i", "--",
                "env", "TMPDIR=/var/tmp", *map(os.fspath, command)]

    def write_remote_shell(self):
        """A script that stands in for ssh: `script [options] HOST COMMAND...`.

        Like ssh it does not learn of the end of a command on a host that is out of reach.
        """
        for name in self.names:
            (self.folder / f"{name}.pid").write_text(str(self._holders[name].pid))
        script = self.folder / "remote_shell.sh"
        script.write_text("#!/bin/sh\n"
                          'while [ "${1#-}" != "$1" ]; do shift; done\n'
                          "host=$1; shift\n"
                          f'holder=$(cat {self.folder}/$host.pid)\n'
                          'nsenter -t $holder -n -u -m -i -- env TMPDIR=/var/tmp sh -c "$*"\n'
                          "code=$?\n"
                          'while kill -0 $PPID && [ -z "$(nsenter -t $holder -n '
                          'ip link show eth0 up)" ]; do sleep 1; done\n'
                          "exit $code\n")
        script.chmod(0o755)
        return script

    def cut(self, name):
        """Takes the network of a host down, as a broken cable would."""
        self._run(*self.inside(name, "ip", "link", "set", "eth0", "down"))

    def mend(self, name):
        self._run(*self.inside(name, "ip", "link", "set", "eth0", "up"))

    def processes(self, name):
        """What runs on a host, but for what keeps it there."""
        holder = self._holders[name].pid
        return [pid for pid in processes.in_network_of(holder) if pid != holder]

    def make(self):
        table = self.folder / "hosts"
        table.write_text("127.0.0.1 localhost\n" + "".join(
            f"{self.address(name)} {name}\n" for name in self.names))
        switch = self._hold("switch", "unshare", "-n", "sh", "-c", _HOLD_NETWORK)
        for index, name in enumerate(self.names):
            host = self._hold(name, "unshare", "-n", "-u", "-m", "-i", "sh", "-c", _HOLD, "sh",
                              name, table)
            in_switch = ["nsenter", "-t", str(switch.pid), "-n", "ip", "link"]
            self._run(*in_switch, "add", f"port{index}", "type", "veth", "peer", "name", "eth0",
                      "netns", str(host.pid))
            self._run(*in_switch, "set", f"port{index}", "master", "br0", "up")
            self._run(*self.inside(name, "ip", "address", "add", f"{self.address(name)}/24", "dev",
                                   "eth0"))
            self.mend(name)

    def _hold(self, name, *command):
        # It reads until this process closes the pipe, at the latest by ending.
        holder = subprocess.Popen([*map(os.fspath, command)], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True, start_new_session=True)
        self._holders[name] = holder
        if holder.stdout.readline() != "ready\n":
            raise RuntimeError(f"can't make the namespaces of {name}")
        return holder

    def end(self):
        for name in self.names:
            if name in self._holders:
                processes.end_all(lambda name=name: self.processes(name))
        for holder in self._holders.values():
            holder.stdin.close()
            holder.stdout.close()
            holder.wait(timeout=60)

    @staticmethod
    def _run(*command):
        # While networks of other tests end, the kernel lets changes of networks wait, half a minute now and then.
        subprocess.run(command, check=True, timeout=180)
