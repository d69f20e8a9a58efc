// SPDX-License-Identifier: Apache-2.0

package import RestDocument

/// Fetches the responses of a list, one page after the other, but makes no objects.
///
/// For callers that map into something of their own; ``Pages`` makes objects of them.
package struct ResponseWalk: Sendable {
    private let manager: ObjectManager
    private let expected: ResponseDescriptor?
    private var walk: PageWalk

    /// Begins a walk; nothing is fetched yet.
    ///
    /// - Parameters:
    ///   - manager: What fetches.
    ///   - pagination: How to get from one page to the next.
    ///   - path: The path of the first page.
    ///   - parameters: What goes into its query.
    ///   - expected: See ``ObjectManager/response(to:expecting:)``.
    package init(
        _ manager: ObjectManager, by pagination: Pagination, at path: String,
        parameters: Document, expecting expected: ResponseDescriptor?
    ) {
        self.manager = manager
        self.expected = expected
        walk = PageWalk(
            pagination, at: path, parameters: parameters, configuration: manager.snapshot)
    }

    /// Ends the walk where it is.
    package mutating func end() {
        walk.end()
    }

    /// Fetches the next page; `nil` after the last one and after an error.
    package mutating func next() async throws -> ObjectResponse? {
        guard let request = try walk.request() else { return nil }
        let response = try await manager.response(to: request, expecting: expected)
        return try walk.receive(response) ? response : nil
    }
}
