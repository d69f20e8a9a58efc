// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestNetworking
public import RestPersistence
import RestTransport

/// An error of importing a response into a store.
///
/// Errors of the request, the response and the mapping are ``/RestNetworking/NetworkingError``s. The
/// store is unchanged after an error.
public struct SyncError: Error, Sendable, CustomStringConvertible {
    /// A kind of error, open to additions in future versions.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case unsuitableMapping
            case importFailed
            case saveFailed
        }

        private let storage: Storage

        /// The mapping of a response descriptor does not match the store's model.
        public static let unsuitableMapping = Code(storage: .unsuitableMapping)
        /// The objects could not be found, created or connected.
        public static let importFailed = Code(storage: .importFailed)
        /// The transaction failed.
        public static let saveFailed = Code(storage: .saveFailed)

        /// The name of the code, free of dynamic data.
        public var description: String { storage.rawValue }
    }

    /// The kind of the error.
    public let code: Code
    /// The method of the request.
    public let method: String
    /// The URL of the request, without user, password, query and fragment.
    public let url: String
    /// The error of the store.
    public let underlying: PersistenceError

    init(_ code: Code, _ response: ObjectResponse, _ underlying: PersistenceError) {
        self.code = code
        method = response.request.method.rawValue
        url = response.url.redacted
        self.underlying = underlying
    }

    /// One line that begins with the code and contains no values of the response.
    public var description: String { "\(code) for \(method) \(url): \(underlying)" }
}
