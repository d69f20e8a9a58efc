// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestNetworking
public import RestPersistence
import RestTransport

/// An error of importing a response into a store or a context.
///
/// Errors of the request, the response and the mapping are ``/RestNetworking/NetworkingError``s. The
/// store and the context are unchanged after an error.
public struct SyncError: Error, Sendable, CustomStringConvertible {
    /// A kind of error, open to additions in future versions.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case unsuitableMapping
            case importFailed
            case saveFailed
            case fetchFailed
            case noStore
        }

        private let storage: Storage

        /// The mapping of a response descriptor does not match the store's model.
        public static let unsuitableMapping = Code(storage: .unsuitableMapping)
        /// The objects could not be found, created or connected, or the object of the request no
        /// longer exists.
        public static let importFailed = Code(storage: .importFailed)
        /// The transaction failed, or the closure that is called before it.
        public static let saveFailed = Code(storage: .saveFailed)
        /// A fetch request for the URL of the response failed.
        public static let fetchFailed = Code(storage: .fetchFailed)
        /// The call names neither a store nor a context, and the manager has no store.
        public static let noStore = Code(storage: .noStore)

        /// The name of the code, free of dynamic data.
        public var description: String { storage.rawValue }
    }

    /// The kind of the error.
    public let code: Code
    /// The method of the request; `nil` if no request was sent.
    public let method: String?
    /// The URL of the request, without user, password, query and fragment; `nil` if no request was
    /// sent.
    public let url: String?
    /// The error of the store; `nil` for ``Code/noStore``.
    public let underlying: PersistenceError?

    init(_ code: Code, _ response: ObjectResponse, _ underlying: PersistenceError) {
        self.code = code
        method = response.request.method.rawValue
        url = response.url.redacted
        self.underlying = underlying
    }

    init(_ code: Code, _ request: TransportRequest, _ underlying: PersistenceError) {
        self.code = code
        method = request.method.rawValue
        url = request.url.redacted
        self.underlying = underlying
    }

    /// Creates the error of a request that was not sent.
    init(_ code: Code, _ underlying: PersistenceError) {
        self.code = code
        method = nil
        url = nil
        self.underlying = underlying
    }

    init(_ code: Code) {
        self.code = code
        method = nil
        url = nil
        underlying = nil
    }

    /// One line that begins with the code and contains no values of the response.
    public var description: String {
        guard let underlying else {
            return "\(code): name a store or a context, or set the store of the object manager"
        }
        guard let method, let url else { return "\(code) before the request: \(underlying)" }
        return "\(code) for \(method) \(url): \(underlying)"
    }
}
