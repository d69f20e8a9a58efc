// SPDX-License-Identifier: Apache-2.0

/// Fetches the responses of a list page by page, without mapping objects.
///
/// ``Pages`` maps them into objects.
package struct ResponsePager<Value>: Sendable {
    private let manager: ObjectManager
    private var pagination: PaginationStateMachine<Value>

    /// Creates a pager that has fetched nothing yet.
    ///
    /// - Parameters:
    ///   - manager: The object manager that sends the requests.
    ///   - pagination: The pagination of the list.
    ///   - request: The request for the list, without parameters of the pagination.
    /// - Throws: ``NetworkingError`` if the request cannot be created.
    package init(
        _ manager: ObjectManager, by pagination: Pagination, _ request: ObjectRequest<Value>
    ) throws(NetworkingError) {
        self.manager = manager
        self.pagination = try PaginationStateMachine(
            pagination, request, configuration: manager.snapshot)
    }

    /// Ends the pagination before the last page.
    package mutating func finish() {
        pagination.finish()
    }

    /// Fetches the next page; returns `nil` after the last page and after an error.
    package mutating func next() async throws -> ObjectResponse? {
        guard let request = try pagination.nextRequest() else { return nil }
        let response = try await manager.response(to: request)
        return try pagination.receive(response) ? response : nil
    }
}
