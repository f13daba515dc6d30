"""Makes of a function what its ranks do, as `dist.manual`: so the compiler takes it for what it is.

The loops of a model are repeated before it is sharded. Here they are sharded as loops, and repeated afterwards.
"""

import re
import subprocess

from equivalence.sharded_module import Failed

_PASSES = ["--sharding-propagate", "--sharding-insert-reshards", "--sharding-partition", "--sharding-simplify"]
_FUNCTION = re.compile(r"func\.func @(\w+)\(([^\n]*)\) -> \(([^\n]*)\) \{\n(.*?)^ *return (.*) : .*?^ *\}", re.M | re.S)
_TENSOR = re.compile(r"tensor<([^>]*)> \{dist\.sharding = (#dist\.sharding<.*?>), dist\.whole = (tensor<[^>]*>)")


def manual_form(text, tools):
    """The module, which has one function with roles for none of its arguments, with that function in the place."""
    done = subprocess.run([tools.bin_dir / "shard-opt", *_PASSES, "-"], input=text, text=True, capture_output=True,
                          timeout=tools.timeout_s, check=False)
    if done.returncode:
        raise Failed(f"sharding passes: {done.stderr}")
    mesh = re.search(r"^ *(dist\.mesh .*)$", done.stdout, re.M)[1]
    name, arguments, results, body, returned = _FUNCTION.search(done.stdout).groups()
    taken, given = (_TENSOR.findall(side) for side in (arguments, results))
    values = [f"%arg{index}" for index in range(len(taken))]

    def typed(what, types):
        return ", ".join(f"{value}: {type_text}" for value, type_text in zip(what, types))
    blocks = [f"tensor<{block}>" for block, _, _ in taken]
    wholes = [f"{whole} {{dist.sharding = {sharding}}}" for _, sharding, whole in taken]
    out = [f"{whole} {{dist.sharding = {sharding}}}" for _, sharding, whole in given]
    kinds = (f"({', '.join(whole for _, _, whole in taken)}) -> ({', '.join(whole for _, _, whole in given)})")
    names = ", ".join(f"%made#{index}" for index in range(len(given)))
    return (f"{mesh}\nfunc.func @{name}({typed(values, wholes)}) -> ({', '.join(out)}) {{\n"
            f"%made:{len(given)} = dist.manual({', '.join(values)}) in [{', '.join(s for _, s, _ in taken)}] "
            f"out [{', '.join(s for _, s, _ in given)}] : {kinds} {{\n"
            f"^bb0({typed([value.replace('arg', 'block') for value in values], blocks)}):\n"
            + _renamed(body, len(taken))
            + f"dist.yield {_renamed(returned, len(taken))} : {', '.join(f'tensor<{b}>' for b, _, _ in given)}\n}}\n"
            f"return {names} : {', '.join(whole for _, _, whole in given)}\n}}\n")


def _renamed(text, count):
    """The function's arguments are those of the region there."""
    return re.sub(r"%arg(\d+)\b", lambda found: f"%block{found[1]}" if int(found[1]) < count else found[0], text)
