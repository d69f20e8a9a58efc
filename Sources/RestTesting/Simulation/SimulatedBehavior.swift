// SPDX-License-Identifier: Apache-2.0

extension SimulatedAPI {
    /// The rules of a simulated server.
    public struct Behavior: Sendable {
        /// The kind of the entity tags in responses with one resource.
        public enum EntityTags: Sendable, Hashable, CaseIterable {
            /// Responses have no tags.
            case none
            /// Responses have strong tags, which `If-Match` can name.
            case strong
            /// Responses have weak tags, which never match in `If-Match`.
            case weak
        }

        /// The member with the identity of a resource; `id` by default.
        public var identityMember = "id"

        /// The identity of the next resource that the server names; 101 by default.
        public var nextIdentity = 101

        /// The member in which the server counts the versions of a resource; `nil` for none, `revision` by default.
        ///
        /// A PUT or PATCH request whose body has another version than the resource is refused.
        public var versionMember: String? = "revision"

        /// The kind of the entity tags; strong by default.
        public var entityTags = EntityTags.strong

        /// The status of a request for another version than the resource has; 412 by default, 409 on some servers.
        public var mismatchStatus = 412

        /// The member in which representations have the entity tag; `nil`, the default, for none.
        ///
        /// It is not written by requests, and lists have it of each element.
        public var tagMember: String?

        /// The member in which representations have the time of the last change, in the format of RFC 3339;
        /// `nil`, the default, for none.
        public var modificationMember: String?

        /// The members by which lists can be searched: a query parameter with the name of one selects the resources
        /// with the value; none by default.
        public var searchMembers: Set<String> = []

        /// The path of an endpoint that executes several requests as one, such as `$batch`; `nil`, the default, for
        /// none.
        ///
        /// Its parts are requests with faults and effects of their own, and have the credentials of the whole.
        ///
        /// - Source: OData JSON Format 4.01 §19.
        public var batchPath: String?

        /// The member of bodies with an idempotency key, besides the field `Idempotency-Key`; `nil`, the default, for
        /// none.
        public var keyMember: String?

        /// The time for which the server remembers an idempotency key; a day by default.
        public var keyLifetime: Duration = .seconds(24 * 3600)

        /// A Boolean value that indicates whether a restart of the server ends the memory of its keys; `false` by
        /// default.
        public var forgetsKeysAtRestart = false

        /// A Boolean value that indicates whether responses to POST, PUT and PATCH have the resource; `true` by
        /// default.
        ///
        /// Without it, they have status 204, and a new resource is named by the field `Location`.
        public var answersWithResources = true

        /// The age of what GET requests read, as from a replica that lags behind; zero by default.
        public var replicaLag: Duration = .zero

        /// The time between the arrival of a request and its execution; zero by default.
        public var latency: Duration = .zero

        /// The values of the field `Authorization` that the server accepts; `nil`, the default, for all.
        public var credentials: Set<String>?

        /// The collections of the resources to which members refer, by member.
        ///
        /// A request is refused with status 422 if such a member refers to a resource that does not exist.
        public var references: [String: String] = [:]

        /// The member of which no two resources of a collection have the same value, by collection.
        ///
        /// A POST request with a value that exists is refused with status 409 and a body with the identity.
        public var uniqueMembers: [String: String] = [:]

        /// Creates the default behavior.
        public init() {}
    }
}
