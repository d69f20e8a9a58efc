// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// The location and the selection of the records in a response.
public struct RecordsDefinition: Sendable, Equatable {
    /// The expansion of each record into several.
    public struct Expansion: Sendable, Equatable {
        /// The path of an array in the record, each element of which becomes a record.
        public var path: DocumentPath
        /// The values of the record that each of its elements gets.
        public var inclusions: [FieldInclusion]

        /// Creates an expansion.
        public init(at path: DocumentPath, inclusions: [FieldInclusion] = []) {
            self.path = path
            self.inclusions = inclusions
        }
    }

    /// Records of other entities in the same response, such as `included` of JSON:API.
    public struct Included: Sendable, Equatable {
        /// The path of the records from the root of the document.
        public var path: DocumentPath
        /// The entity of the records.
        public var entity: EntitySelection

        /// Creates a location of records.
        public init(at path: DocumentPath, entity: EntitySelection) {
            self.path = path
            self.entity = entity
        }
    }

    /// The path of the records from the root of the document: an array, or an object that is the only
    /// record; `nil` to find it in the responses.
    public var path: DocumentPath?
    /// The key of the record in an object around it, such as `film` in `[{"film": {…}}]`.
    public var wrapper: String?
    /// The keys of objects whose members are members of the record, such as `attributes`.
    public var merge: [String]
    /// The expansion of each record into several.
    public var expansion: Expansion?
    /// The conditions for records, all of which must hold.
    public var filter: [Condition]
    /// The records of other entities in the response.
    public var included: [Included]
    /// A Boolean value that indicates whether an object at the path contains the records as its values,
    /// with their keys.
    public var isKeyed: Bool
    /// The key that the keys of a keyed object get in the records; `nil` to drop them.
    public var keyName: String?

    /// Creates a location.
    public init(
        path: DocumentPath? = nil, wrapper: String? = nil, merge: [String] = [],
        expansion: Expansion? = nil, filter: [Condition] = [], included: [Included] = [],
        isKeyed: Bool = false, keyName: String? = nil
    ) {
        self.path = path
        self.wrapper = wrapper
        self.merge = merge
        self.expansion = expansion
        self.filter = filter
        self.included = included
        self.isKeyed = isKeyed
        self.keyName = keyName
    }
}
