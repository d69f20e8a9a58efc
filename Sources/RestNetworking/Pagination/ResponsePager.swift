// SPDX-License-Identifier: Apache-2.0

/// The response for a page of a list.
package struct PageResponse: Sendable {
    /// The response, which is not mapped yet.
    package let response: ObjectResponse

    /// The facts about the page.
    package let page: PaginationStateMachine.Page
}

/// Fetches the responses of a list page by page, without mapping objects.
///
/// ``Pages`` maps them into objects.
package struct ResponsePager: Sendable {
    private let send: @Sendable (PageRequest) async throws -> ObjectResponse
    private let prefetches: Bool
    private var pagination: PaginationStateMachine
    private var prefetch: ResponsePrefetch?

    /// Creates a pager that has fetched nothing yet.
    ///
    /// - Parameters:
    ///   - pagination: The state machine of the list.
    ///   - prefetches: A Boolean value that indicates whether the next page is requested before the
    ///     caller asks for it.
    ///   - send: Sends the request of a page.
    package init(
        _ pagination: PaginationStateMachine, prefetching prefetches: Bool,
        send: @escaping @Sendable (PageRequest) async throws -> ObjectResponse
    ) {
        self.pagination = pagination
        self.prefetches = prefetches
        self.send = send
    }

    /// Ends the pagination before the last page, and cancels a request in progress.
    package mutating func finish() {
        pagination.finish()
        prefetch = nil
    }

    /// The response that marked the end of the list; `nil` if a page did.
    package var end: PaginationStateMachine.End? { pagination.end }

    /// Requests the response that marked the end of the list again.
    ///
    /// - Returns: A Boolean value that indicates whether the end is still there.
    /// - Throws: An error of the request, unless it marks the end.
    package func confirmsEnd() async throws -> Bool {
        guard let end else { return true }
        do {
            return end.isMarked(by: try await send(end.request))
        } catch let error as NetworkingError {
            if error.status != nil { return error.status == end.status }
            throw error
        }
    }

    /// Fetches the next page; returns `nil` after the last page and after an error.
    package mutating func next() async throws -> PageResponse? {
        let response: ObjectResponse
        do {
            if let prefetch {
                self.prefetch = nil
                response = try await prefetch.response()
            } else if let request = try pagination.nextRequest() {
                response = try await send(request)
            } else {
                return nil
            }
        } catch {
            if pagination.isEnd(error) { return nil }
            throw error
        }
        guard let page = try pagination.receive(response) else { return nil }
        if prefetches, pagination.hasNextRequest, let request = try pagination.nextRequest() {
            prefetch = ResponsePrefetch { [send] in try await send(request) }
        }
        return PageResponse(response: response, page: page)
    }
}

/// A response that is received while the caller works on the previous page.
///
/// The task belongs to this object: it is canceled when the last iterator that could return the
/// response is gone.
private final class ResponsePrefetch: Sendable {
    private let task: Task<ObjectResponse, any Error>

    init(_ receive: @escaping @Sendable () async throws -> ObjectResponse) {
        task = Task { try await receive() }
    }

    deinit {
        task.cancel()
    }

    /// Returns the response; cancels its request if the caller is canceled.
    func response() async throws -> ObjectResponse {
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
