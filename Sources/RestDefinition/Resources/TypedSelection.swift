// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A selection of entities by the value of a member, such as `type`.
public struct TypedSelection: Sendable, Equatable {
    /// An entity with the value that selects it.
    public struct Case: Sendable, Equatable {
        /// The value in the record, as text.
        public var value: String
        /// The name of the entity.
        public var entity: String

        /// Creates a case.
        public init(_ value: String, _ entity: String) {
            self.value = value
            self.entity = entity
        }
    }

    /// The path of the value in the record.
    public var path: DocumentPath
    /// The entities with distinct values.
    public var cases: [Case]

    /// Creates a selection.
    public init(by path: DocumentPath, _ cases: [Case]) {
        self.path = path
        self.cases = cases
    }
}
