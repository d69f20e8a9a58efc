// SPDX-License-Identifier: Apache-2.0

/// A request mapping that is chosen for each object by the object's values.
///
/// Candidates are tried in the order in which they were added and the first that matches is chosen.
/// An object without a matching candidate has no representation: the run ends with ``MappingError``
/// and code ``MappingError/Code/undeterminedMapping``.
///
///     var search = DynamicRequestMapping(for: FlightSearch.self)
///     search.add(byNumber) { (search: FlightSearch) in search.mode == 1 }
///     search.add(byPlaces) { (search: FlightSearch) in search.mode == 2 }
public struct DynamicRequestMapping: Sendable {
    struct Candidate: Sendable {
        let mapping: RequestMapping
        let matches: @Sendable (any RequestSubject) -> Bool
    }

    /// The properties of the type or entity of the objects.
    public let table: PropertyTable
    private(set) var candidates: [Candidate] = []

    /// Creates a dynamic mapping without candidates.
    public init<Subject: MappingSubject>(for subject: Subject.Type) {
        table = subject.properties
    }

    /// Creates a dynamic mapping for a table, without candidates.
    public init(table: PropertyTable) {
        self.table = table
    }

    /// Adds a mapping for the objects of its own type, such as one of several subclasses.
    public mutating func add(_ mapping: RequestMapping) {
        let table = mapping.table
        candidates.append(Candidate(mapping: mapping) { $0.isSubject(of: table) })
    }

    /// Adds a mapping for the objects for which a predicate returns true.
    ///
    /// - Parameters:
    ///   - mapping: The mapping of such objects.
    ///   - predicate: Examines an object; it is not called for objects of other types.
    public mutating func add<Subject: RequestSubject>(
        _ mapping: RequestMapping, when predicate: @escaping @Sendable (Subject) -> Bool
    ) {
        candidates.append(
            Candidate(mapping: mapping) { ($0 as? Subject).map(predicate) ?? false })
    }

    /// The mappings that may be chosen, in the order in which they are tried.
    public var possibleMappings: [RequestMapping] { candidates.map(\.mapping) }
}
