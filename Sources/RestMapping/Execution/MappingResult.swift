// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// The objects of one response, by the key path they were found at.
///
/// Not Sendable: the objects belong to whoever asked for them.
public struct MappingResult {
    /// The objects found at one place.
    public struct Section {
        /// Where they were found; empty for the whole document.
        public let keyPath: DocumentPath
        /// The objects, in document order.
        public let objects: [Any]

        /// Makes a section.
        public init(keyPath: DocumentPath, objects: [Any]) {
            self.keyPath = keyPath
            self.objects = objects
        }
    }

    /// The places, in the order their descriptors were tried.
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

    /// The objects by key path; the empty path for the whole document.
    public var dictionary: [DocumentPath: [Any]] {
        Dictionary(sections.map { ($0.keyPath, $0.objects) }, uniquingKeysWith: +)
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
