// SPDX-License-Identifier: Apache-2.0

/// The objects of one response, by key path.
///
/// Not Sendable: the objects belong to the caller.
public struct MappingResult {
    /// The objects at one key path.
    public struct Section {
        /// The key path; empty for the whole document.
        public let keyPath: SourcePath
        /// The objects, in document order.
        public let objects: [Any]
        /// The property mappings applied to each object, if they were requested.
        public let info: [MappingInfo]

        /// Creates a section.
        public init(keyPath: SourcePath, objects: [Any], info: [MappingInfo] = []) {
            self.keyPath = keyPath
            self.objects = objects
            self.info = info
        }
    }

    /// The sections, in the order of their descriptors or mappings.
    public let sections: [Section]
    /// The issues and counts of the mapping.
    public let report: MappingReport

    /// Creates a result.
    public init(_ sections: [Section], report: MappingReport) {
        self.sections = sections
        self.report = report
    }

    /// All objects, section by section.
    public var array: [Any] { sections.flatMap(\.objects) }

    /// The first object, or `nil`.
    public var first: Any? { sections.lazy.compactMap(\.objects.first).first }

    /// The number of objects.
    public var count: Int { sections.reduce(0) { $0 + $1.objects.count } }

    /// The objects by key path; the empty path for the whole document.
    public var dictionary: [SourcePath: [Any]] {
        Dictionary(sections.map { ($0.keyPath, $0.objects) }, uniquingKeysWith: +)
    }

    /// The property mappings applied to the objects, by key path, if they were requested.
    public var info: [SourcePath: [MappingInfo]] {
        Dictionary(sections.map { ($0.keyPath, $0.info) }, uniquingKeysWith: +)
    }

    /// Returns the objects of a type, section by section.
    public func objects<Value>(of type: Value.Type = Value.self) -> [Value] {
        array.compactMap { $0 as? Value }
    }

    /// Returns the distinct objects of a type.
    public func set<Value: Hashable>(of type: Value.Type = Value.self) -> Set<Value> {
        Set(objects(of: type))
    }
}
