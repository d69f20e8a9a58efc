// SPDX-License-Identifier: Apache-2.0

extension Pages {
    /// The objects of all pages, as an asynchronous sequence that fetches each page on demand.
    public var objects: PageObjects<Object> { PageObjects(pages: self) }
}

/// The objects of a list, as an asynchronous sequence that fetches each page on demand.
///
/// Only the objects of one page are in memory. ``Pages/objects`` returns the sequence.
public struct PageObjects<Object>: AsyncSequence, Sendable {
    /// An object of the list.
    public typealias Element = Object

    /// The error type: ``NetworkingError`` or `CancellationError`.
    public typealias Failure = any Error

    let pages: Pages<Object>

    /// Creates an iterator that has fetched nothing yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: pages.makeAsyncIterator())
    }

    /// An iterator over the objects of a list.
    public struct Iterator: AsyncIteratorProtocol {
        private var pages: Pages<Object>.Iterator
        private var objects = [Object]().makeIterator()

        init(pages: Pages<Object>.Iterator) {
            self.pages = pages
        }

        /// Returns the next object, and fetches a page if necessary; returns `nil` after the last
        /// one.
        public mutating func next() async throws -> Object? {
            try await next(isolation: #isolation)
        }

        /// Returns the next object in the caller's isolation, and fetches a page if necessary;
        /// returns `nil` after the last one.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> Object? {
            while true {
                if let object = objects.next() { return object }
                guard let page = try await pages.next(isolation: actor) else { return nil }
                objects = page.objects.makeIterator()
            }
        }
    }
}
