# SPDX-License-Identifier: Apache-2.0
"""Prints the median processor time in nanoseconds of decoding a page of articles with msgspec.

The structures are those of ArticleModels.swift and DatedModels.swift; what was decoded is let go of
inside the time. The arguments are the folder msgspec was installed to and a file.
"""

import statistics
import sys
import time
from datetime import datetime
from decimal import Decimal

sys.path.insert(0, sys.argv[1])

import msgspec  # noqa: E402


class Category(msgspec.Struct):
    id: int
    name: str


class Person(msgspec.Struct):
    id: int
    name: str
    email: str | None
    avatar_url: str
    verified: bool


class Comment(msgspec.Struct):
    id: int
    author: Person
    body: str
    likes: int
    created_at: str


class Article(msgspec.Struct):
    id: int
    slug: str
    title: str
    body: str
    published: bool
    created_at: str
    updated_at: str | None
    price: float
    rating: float | None
    views: int
    author: Person
    category: Category | None
    tags: list[str]
    comments: list[Comment]


class ArticlePage(msgspec.Struct):
    data: list[Article]


class DatedComment(Comment):
    created_at: datetime


class DatedArticle(Article):
    created_at: datetime
    updated_at: datetime | None
    price: Decimal
    comments: list[DatedComment]


class DatedPage(msgspec.Struct):
    data: list[DatedArticle]


def median_time(decoder, data):
    for _ in range(3):
        decoder.decode(data)
    times = []
    end = time.perf_counter() + 0.7
    while time.perf_counter() < end:
        start = time.thread_time_ns()
        page = decoder.decode(data)
        del page
        times.append(time.thread_time_ns() - start)
    return statistics.median(times)


def main():
    with open(sys.argv[2], "rb") as file:
        data = file.read()
    for page in (ArticlePage, DatedPage):
        print(median_time(msgspec.json.Decoder(page), data))


main()
