// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestNetworking
import RestPersistence
import RestTransport

/// An interceptor that knows the moment of the store at which its request was sent.
///
/// A response need not contain what was written later, as by a POST request that the server has processed
/// after it.
protocol RequestMoment: HTTPInterceptor {
    /// The moment of the store before the request was sent.
    var moment: CommitPosition { get }
}

/// The interceptor of a request for managed objects that has no collection, because plain objects hold them
/// or because of its method.
///
/// The client's cache has the whole response. It answers only what the server has validated, as the rows may
/// be newer than a stored response that is fresh.
struct RequestMomentInterceptor: RequestMoment {
    /// The collections of the store, as it was before the request was sent.
    let collections: CollectionReader
    let moment: CommitPosition
    /// A Boolean value that indicates whether the store is checked before the request is sent.
    private let checksContent: Bool

    /// Creates the interceptor of a request that is about to be sent.
    ///
    /// - Parameters:
    ///   - collections: The collections of the store.
    ///   - checksContent: `false` for a request that a transaction has written just now, which has checked it.
    init(collections: CollectionReader, checksContent: Bool = true) {
        self.collections = collections
        self.checksContent = checksContent
        moment = collections.beginRequest()
    }

    func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        if checksContent { try await collections.content.checkContent(for: request) }
        var request = request
        // A request that changes the server is not answered by a cache.
        if request.cachePolicy == .standard, request.method.isSafe {
            request.cachePolicy = .revalidate
        }
        return try await next.send(request)
    }
}

extension ObjectResponse {
    /// The moment of the store before the request was sent; `nil` if it is not known.
    var moment: CommitPosition? { (interceptor as? any RequestMoment)?.moment }

    /// A Boolean value that indicates whether the request may have changed the server.
    var isOfWrite: Bool { !originalRequest.method.isSafe }
}

extension StoreContent {
    /// Checks that a request may be sent.
    ///
    /// - Throws: ``SyncError`` with code `importFailed` if the store was closed, or reset by itself or by
    ///   another store of the file; `CancellationError`.
    func checkContent(for request: TransportRequest) async throws {
        do {
            try await checkContent()
        } catch let error as PersistenceError {
            throw SyncError(.importFailed, request, error)
        }
    }
}
