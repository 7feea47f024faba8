"""Perfect matchings in small graphs: may all bots still be paired without a repeat?"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet


def has_perfect_matching(graph: Sequence[AbstractSet[int]]) -> bool:
    """Can all vertices be paired along edges? `graph[v]` are the neighbours of vertex v.

    >>> has_perfect_matching([{1}, {0, 2}, {1, 3}, {2}]), has_perfect_matching([{1, 2, 3}, {0}, {0}, {0}])
    (True, False)
    """
    size = len(graph)
    if size % 2:
        return False
    if all(len(near) * 2 >= size for near in graph):
        return True  # Dirac: such a graph has a Hamiltonian cycle, every second edge of which is a matching
    return -1 not in maximum_matching(graph)


def maximum_matching(graph: Sequence[AbstractSet[int]]) -> list[int]:
    """Partner of each vertex in a matching with the most edges, -1 for none (Edmonds' blossom algorithm)."""
    mate = [-1] * len(graph)
    near = [sorted(neighbours) for neighbours in graph]
    for vertex, neighbours in enumerate(near):  # a greedy start leaves little to augment
        if mate[vertex] == -1:
            for other in neighbours:
                if mate[other] == -1:
                    mate[vertex], mate[other] = other, vertex
                    break
    for root in range(len(graph)):
        if mate[root] == -1:
            _augment(near, mate, root)
    return mate


def _augment(near: list[list[int]], mate: list[int], root: int) -> None:
    """Find an augmenting path from `root` and flip it, if there is one."""
    size = len(near)
    parent = [-1] * size
    base = list(range(size))  # of the blossom that a vertex was contracted into
    seen = [False] * size
    seen[root] = True
    queue = [root]
    for vertex in queue:
        for other in near[vertex]:
            if base[vertex] == base[other] or mate[vertex] == other:
                continue
            if other == root or (mate[other] != -1 and parent[mate[other]] != -1):
                top = _common_base(vertex, other, mate, parent, base)
                inside = [False] * size
                _mark(vertex, top, other, mate, parent, base, inside)
                _mark(other, top, vertex, mate, parent, base, inside)
                for v in range(size):
                    if inside[base[v]]:
                        base[v] = top
                        if not seen[v]:
                            seen[v] = True
                            queue.append(v)
            elif parent[other] == -1:
                parent[other] = vertex
                if mate[other] == -1:
                    _flip(other, mate, parent)
                    return
                seen[mate[other]] = True
                queue.append(mate[other])


def _common_base(one: int, two: int, mate: list[int], parent: list[int], base: list[int]) -> int:
    path = set()
    while True:
        one = base[one]
        path.add(one)
        if mate[one] == -1:
            break
        one = parent[mate[one]]
    while base[two] not in path:
        two = parent[mate[base[two]]]
    return base[two]


def _mark(
    vertex: int, top: int, child: int, mate: list[int], parent: list[int], base: list[int], inside: list[bool]
) -> None:
    while base[vertex] != top:
        inside[base[vertex]] = inside[base[mate[vertex]]] = True
        parent[vertex] = child
        child = mate[vertex]
        vertex = parent[mate[vertex]]


def _flip(vertex: int, mate: list[int], parent: list[int]) -> None:
    while vertex != -1:
        before = parent[vertex]
        following = mate[before]
        mate[vertex], mate[before] = before, vertex
        vertex = following
