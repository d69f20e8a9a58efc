// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension SyncError: LocalizedError {
    /// A sentence with the kind of the error, the request and the error of the store, in English.
    public var errorDescription: String? {
        let request = [method, url].compactMap(\.self).joined(separator: " ")
        let place = request.isEmpty ? "" : " (\(request))"
        let reason = underlying.map { " \($0.localizedDescription)" } ?? ""
        return "\(sentence)\(place).\(reason)"
    }

    private var sentence: String {
        switch code {
        case .unsuitableMapping: "The mapping does not match the model of the store"
        case .importFailed: "The objects of the response could not be imported"
        case .saveFailed: "The objects of the response could not be saved"
        case .fetchFailed: "A fetch request for the URL failed"
        case .noStore: "The call names neither a store nor a context, and the manager has no store"
        default: "The response could not be imported"
        }
    }
}
