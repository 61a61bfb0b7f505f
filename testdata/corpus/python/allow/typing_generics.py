from __future__ import annotations

from typing import Any, Callable, Generic, Iterable, Optional, Protocol, TypeVar, Union

T = TypeVar("T")


class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: list[T] = []

    def push(self, item: T) -> Stack[T]:
        self.items.append(item)
        return self

    def pop(self) -> Optional[T]:
        return self.items.pop() if self.items else None


class HasName(Protocol):
    name: str


def apply(f: Callable[[T], Any], xs: Iterable[T]) -> "list[Any]":
    return [f(x) for x in xs]


print(Stack[int]().push(1).pop(), apply(str, [1, 2]))
x: Union[int, str] = 3
