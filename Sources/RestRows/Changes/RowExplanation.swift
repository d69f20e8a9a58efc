// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The writes that gave a row its present values.
///
/// A store records them for the entities of ``StoreConfiguration/explainedEntities``, in the
/// transaction that writes the row.
public struct RowExplanation: Sendable, Hashable {
    /// A write of a row.
    public struct Write: Sendable, Hashable {
        /// The response; `nil` for a local change.
        public let response: Response?
        /// The time at which the response was received, or the local change was saved.
        public let date: Date
    }

    /// A response whose objects were imported.
    public struct Response: Sendable, Hashable {
        /// The method of the request.
        public let method: String
        /// The URL of the response.
        public let url: String
        /// The status code of the response.
        public let status: Int
        /// The version of the model and of the mappings that imported the response.
        ///
        /// It is an opaque text, which differs if an entity, a property or a source has changed.
        public let mappingVersion: String
    }

    /// The object.
    public let objectID: ManagedObjectID

    /// The write that inserted the row; `nil` if the row existed before the store recorded its writes.
    public let insertion: Write?

    /// The last write of each attribute and to-one relationship that has changed since, by its name.
    public let changes: [String: Write]

    /// Returns the write that gave a property its value; `nil` if it was not recorded.
    public func write(of property: String) -> Write? { changes[property] ?? insertion }
}

extension RowExplanation.Response: CustomStringConvertible, CustomDebugStringConvertible {
    /// The method, the status and the URL without its query, which may be confidential.
    public var description: String {
        let path = url.prefix { $0 != "?" }
        return "\(method) \(path)\(path.endIndex == url.endIndex ? "" : "?…") \(status)"
    }

    /// The description, as the query may be confidential.
    public var debugDescription: String { description }
}

/// The origin of imported changes.
package struct ResponseWrite: Sendable, Hashable {
    let response: RowExplanation.Response
    let date: Date

    package init(method: String, url: String, status: Int, mappingVersion: String, at date: Date) {
        response = RowExplanation.Response(
            method: method, url: url, status: status, mappingVersion: mappingVersion)
        self.date = date
    }
}
