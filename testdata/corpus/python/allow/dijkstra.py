import heapq
from collections import defaultdict

graph = defaultdict(list)
for u, v, w in [("a", "b", 7), ("a", "c", 3), ("c", "b", 1), ("b", "d", 2)]:
    graph[u].append((v, w))


def dijkstra(start):
    dist = {start: 0}
    heap = [(0, start)]
    while heap:
        d, node = heapq.heappop(heap)
        if d > dist.get(node, float("inf")):
            continue
        for nxt, w in graph[node]:
            nd = d + w
            if nd < dist.get(nxt, float("inf")):
                dist[nxt] = nd
                heapq.heappush(heap, (nd, nxt))
    return dist


print(dijkstra("a"))
