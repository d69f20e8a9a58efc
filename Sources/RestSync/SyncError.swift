// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestNetworking
public import RestPersistence
import RestTransport

/// Why a response did not end in a store; what fails before is a ``RestNetworking/NetworkingError``.
///
/// The store is as it was before the response.
public struct SyncError: Error, Sendable, CustomStringConvertible {
    /// What went wrong.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case unsuitableMapping
            case importFailed
            case saveFailed
        }

        private let storage: Storage

        /// A descriptor's mapping does not fit the store's model.
        public static let unsuitableMapping = Code(storage: .unsuitableMapping)
        /// The objects could not be found, made or connected.
        public static let importFailed = Code(storage: .importFailed)
        /// The transaction was refused.
        public static let saveFailed = Code(storage: .saveFailed)

        /// The code's word, free of dynamic data.
        public var description: String { storage.rawValue }
    }

    /// What went wrong.
    public let code: Code
    /// Method of the request.
    public let method: String
    /// URL of the request, without user, password, query and fragment.
    public let url: String
    /// The store's error.
    public let underlying: PersistenceError

    init(_ code: Code, _ response: ObjectResponse, _ underlying: PersistenceError) {
        self.code = code
        method = response.request.method.rawValue
        url = response.url.redacted
        self.underlying = underlying
    }

    /// One line that starts with the code and holds no payload values.
    public var description: String { "\(code) for \(method) \(url): \(underlying)" }
}
