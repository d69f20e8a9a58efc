// SPDX-License-Identifier: Apache-2.0

/// Chooses a request mapping for each object, as the object's own values decide.
///
/// Candidates are tried in the order they were added and the first that fits decides. An object
/// that none fits has no representation: the run ends with ``MappingError`` and its code
/// ``MappingError/Code/undeterminedMapping``.
///
///     var search = DynamicRequestMapping(for: FlightSearch.self)
///     search.add(byNumber) { $0.mode == 1 }
///     search.add(byPlaces) { $0.mode == 2 }
public struct DynamicRequestMapping: Sendable {
    struct Candidate: Sendable {
        let mapping: RequestMapping
        let fits: @Sendable (any RepresentationSource) -> Bool
    }

    /// The properties of the type or entity the objects are of.
    public let table: PropertyTable
    private(set) var candidates: [Candidate] = []

    /// Makes a dynamic mapping without candidates.
    public init<Subject: MappingSubject>(for subject: Subject.Type) {
        table = subject.properties
    }

    /// Makes a dynamic mapping of a table, without candidates.
    public init(table: PropertyTable) {
        self.table = table
    }

    /// Adds a mapping for the objects of the type it is for, such as one of several classes that
    /// inherit from one.
    public mutating func add(_ mapping: RequestMapping) {
        let table = mapping.table
        candidates.append(Candidate(mapping: mapping) { $0.isSubject(of: table) })
    }

    /// Adds a mapping for the objects that a predicate holds for.
    ///
    /// - Parameters:
    ///   - mapping: How such objects are written.
    ///   - predicate: Looks at an object; one of another type than it names is not asked about.
    public mutating func add<Subject: RepresentationSource>(
        _ mapping: RequestMapping, when predicate: @escaping @Sendable (Subject) -> Bool
    ) {
        candidates.append(
            Candidate(mapping: mapping) { ($0 as? Subject).map(predicate) ?? false })
    }

    /// The mappings that may be chosen, in the order they are tried.
    public var possibleMappings: [RequestMapping] { candidates.map(\.mapping) }
}
