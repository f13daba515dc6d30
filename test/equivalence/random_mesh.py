"""Random meshes and shardings, and their text."""

from dataclasses import dataclass, field, replace

_AXIS_NAMES = ("x", "y", "z")


@dataclass(frozen=True)
class Mesh:
    """Axes are (name, extent); `devices` is empty or a permutation of the ranks."""

    axes: tuple
    devices: tuple = ()

    @property
    def num_ranks(self):
        count = 1
        for _, extent in self.axes:
            count *= extent
        return count

    def __str__(self):
        axes = ", ".join(f'"{name}"={extent}' for name, extent in self.axes)
        devices = f", devices = {list(self.devices)}" if self.devices else ""
        return f"dist.mesh @m <[{axes}]{devices}>"

    def with_axes(self, axes):
        return Mesh(tuple(axes))


@dataclass(frozen=True)
class Axis:
    """An axis or, when `size` is given, the part of it after parts of `before` ranks."""

    name: str
    before: int = 1
    size: int = 0

    def __str__(self):
        return f'"{self.name}"' + (f":({self.before}){self.size}" if self.size else "")

    def is_on(self, mesh):
        extent = dict(mesh.axes).get(self.name, 0)
        return extent > 0 and (not self.size or extent % (self.before * self.size) == 0 and
                               extent > self.size)


@dataclass(frozen=True)
class Sharding:
    """Per dim its axes, whether it is open, and its priority."""

    dims: tuple
    is_open: tuple
    priorities: tuple
    replicated: tuple = field(default=())

    def text(self, mesh):
        """The bare text, between `<` and `>`, without axes that the mesh lacks."""
        dims = []
        for axes, is_open, priority in zip(self.dims, self.is_open, self.priorities):
            inside = [str(axis) for axis in axes if axis.is_on(mesh)] + ["?"] * is_open
            dims.append(f"{{{', '.join(inside)}}}" + (f"p{priority}" if priority else ""))
        kept = [str(axis) for axis in self.replicated if axis.is_on(mesh)]
        replicated = f", replicated = {{{', '.join(kept)}}}" if kept else ""
        return f"<@m, [{', '.join(dims)}]{replicated}>"

    def simpler(self):
        """Yields shardings that say less."""
        for dim, axes in enumerate(self.dims):
            for place in range(len(axes)):
                dims = list(self.dims)
                dims[dim] = axes[:place] + axes[place + 1:]
                yield replace(self, dims=tuple(dims))
        if self.replicated:
            yield replace(self, replicated=())
        if any(self.priorities):
            yield replace(self, priorities=(0,) * len(self.dims))
        for dim, is_open in enumerate(self.is_open):
            if is_open:
                yield replace(self, is_open=self.is_open[:dim] + (False,) + self.is_open[dim + 1:])


def random_mesh(rng):
    """One to three axes, at most eight ranks, sometimes in another order."""
    while True:
        count = rng.choice((1, 1, 2, 2, 2, 3))
        mesh = Mesh(tuple((name, rng.choice((2, 2, 3, 4, 5))) for name in _AXIS_NAMES[:count]))
        if mesh.num_ranks <= 8:
            break
    if rng.random() < 0.2:
        mesh = replace(mesh, devices=tuple(rng.sample(range(mesh.num_ranks), mesh.num_ranks)))
    return mesh


def random_sharding(rng, rank, mesh):
    """Axes, whole or halves of four, on random dims or kept from all."""
    axes = []
    for name, extent in mesh.axes:
        if extent == 4 and rng.random() < 0.4:
            axes += [Axis(name, 1, 2), Axis(name, 2, 2)]
        else:
            axes.append(Axis(name))
    rng.shuffle(axes)
    dims, replicated = [[] for _ in range(rank)], []
    for axis in axes:
        where = rng.random()
        if rank and where < 0.7:
            dims[rng.randrange(rank)].append(axis)
        elif where > 0.95:
            replicated.append(axis)
    is_open = tuple(rng.random() < 0.4 for _ in dims)
    has_priorities = rng.random() < 0.15
    priorities = tuple(rng.randrange(3) if has_priorities else 0 for _ in dims)
    return Sharding(tuple(map(tuple, dims)), is_open, priorities, tuple(replicated))
