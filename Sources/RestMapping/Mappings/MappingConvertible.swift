// SPDX-License-Identifier: Apache-2.0

/// A type that can stand wherever a ``Mapping`` is expected.
///
/// Every kind of mapping conforms. A module that maps to something of its own, such as rows of a
/// store, adds a conformance for its own mapping type.
public protocol MappingConvertible: Sendable {
    /// The mapping of representations.
    var mapping: Mapping { get }
}

extension Mapping: MappingConvertible {
    /// The mapping itself.
    public var mapping: Mapping { self }
}

extension ObjectMapping: MappingConvertible {
    /// The mapping as one of all kinds.
    public var mapping: Mapping { .object(self) }
}

extension DynamicMapping: MappingConvertible {
    /// The mapping as one of all kinds.
    public var mapping: Mapping { .dynamic(self) }
}

extension CodableMapping: MappingConvertible {
    /// The mapping as one of all kinds.
    public var mapping: Mapping { .codable(self) }
}
