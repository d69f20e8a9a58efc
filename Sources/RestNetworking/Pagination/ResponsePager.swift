// SPDX-License-Identifier: Apache-2.0

package import RestDocument

/// Fetches the responses of a list page by page, without mapping objects.
///
/// ``Pages`` maps them into objects.
package struct ResponsePager: Sendable {
    private let manager: ObjectManager
    private let expected: ResponseDescriptor?
    private var pagination: PaginationStateMachine

    /// Creates a pager that has fetched nothing yet.
    ///
    /// - Parameters:
    ///   - manager: The object manager that sends the requests.
    ///   - pagination: The pagination of the list.
    ///   - path: The path of the first page.
    ///   - parameters: The parameters of its query.
    ///   - expected: See ``ObjectManager/response(to:expecting:)``.
    package init(
        _ manager: ObjectManager, by pagination: Pagination, at path: String,
        parameters: Document, expecting expected: ResponseDescriptor?
    ) {
        self.manager = manager
        self.expected = expected
        self.pagination = PaginationStateMachine(
            pagination, at: path, parameters: parameters, configuration: manager.snapshot)
    }

    /// Ends the pagination before the last page.
    package mutating func finish() {
        pagination.finish()
    }

    /// Fetches the next page; returns `nil` after the last page and after an error.
    package mutating func next() async throws -> ObjectResponse? {
        guard let request = try pagination.nextRequest() else { return nil }
        let response = try await manager.response(to: request, expecting: expected)
        return try pagination.receive(response) ? response : nil
    }
}
