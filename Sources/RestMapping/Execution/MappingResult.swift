// SPDX-License-Identifier: Apache-2.0

/// The objects of one response, by the key path they were found at.
///
/// Not Sendable: the objects belong to whoever asked for them.
public struct MappingResult {
    /// The objects found at one place.
    public struct Section {
        /// Where they were found; empty for the whole document.
        public let keyPath: SourcePath
        /// The objects, in document order.
        public let objects: [Any]
        /// What was assigned to each, if that was asked for.
        public let info: [MappingInfo]

        /// Makes a section.
        public init(keyPath: SourcePath, objects: [Any], info: [MappingInfo] = []) {
            self.keyPath = keyPath
            self.objects = objects
            self.info = info
        }
    }

    /// The places, in the order their descriptors or mappings were tried.
    public let sections: [Section]
    /// What was met while mapping.
    public let report: MappingReport

    /// Makes a result.
    public init(_ sections: [Section], report: MappingReport) {
        self.sections = sections
        self.report = report
    }

    /// All objects, section by section.
    public var array: [Any] { sections.flatMap(\.objects) }

    /// The first object, or nil.
    public var first: Any? { sections.lazy.compactMap(\.objects.first).first }

    /// How many objects there are.
    public var count: Int { sections.reduce(0) { $0 + $1.objects.count } }

    /// The objects by key path; the empty path for the whole document.
    public var dictionary: [SourcePath: [Any]] {
        Dictionary(sections.map { ($0.keyPath, $0.objects) }, uniquingKeysWith: +)
    }

    /// What was assigned to the objects, by key path, if that was asked for.
    public var info: [SourcePath: [MappingInfo]] {
        Dictionary(sections.map { ($0.keyPath, $0.info) }, uniquingKeysWith: +)
    }

    /// All objects of a type, section by section.
    public func objects<Value>(of type: Value.Type = Value.self) -> [Value] {
        array.compactMap { $0 as? Value }
    }

    /// All objects of a type, each once.
    public func set<Value: Hashable>(of type: Value.Type = Value.self) -> Set<Value> {
        Set(objects(of: type))
    }
}
