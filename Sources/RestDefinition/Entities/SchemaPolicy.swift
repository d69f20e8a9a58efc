// SPDX-License-Identifier: Apache-2.0

/// The treatment of values that a definition does not describe.
public struct SchemaPolicy: Sendable, Equatable {
    /// A treatment.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// The schema changes: a column is added, becomes optional or gets a wider type.
        case evolve
        /// The resource fails.
        case freeze
        /// The schema stays; the value is kept apart, and the run reports it.
        case quarantine
    }

    /// The treatment of keys and of types of records that are not described.
    public var unknown: Mode
    /// The treatment of records without a required value.
    public var missing: Mode
    /// The treatment of values that do not fit the type of their column.
    public var retyped: Mode

    /// Creates a policy.
    public init(unknown: Mode = .evolve, missing: Mode = .evolve, retyped: Mode = .evolve) {
        self.unknown = unknown
        self.missing = missing
        self.retyped = retyped
    }

    /// Creates a policy with one treatment for everything.
    public init(_ mode: Mode) { self.init(unknown: mode, missing: mode, retyped: mode) }
}
