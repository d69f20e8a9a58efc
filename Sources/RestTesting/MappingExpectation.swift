// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// One thing that a mapping is expected to do: feed a property from a place.
///
/// Places and properties are those of the object a line belongs to, at whatever depth.
public struct MappingExpectation {
    enum Check {
        case occurrence
        case value(isEqual: (Any) -> Bool)
        case evaluation((Any) throws -> Bool)
        case mapping(Mapping)
    }

    /// Where the value comes from; empty for the representation itself.
    public let source: SourcePath
    /// Name of the property.
    public let destination: String
    let check: Check

    /// Expects that a property was fed from a place; a value it had already counts.
    public init(_ source: SourcePath, to destination: String) {
        self.init(source, destination, .occurrence)
    }

    /// Expects that a property was fed a certain value from a place.
    public init<Value: Equatable>(
        _ source: SourcePath, to destination: String, value: Value
    ) {
        self.init(source, destination, .value { ($0 as? Value) == value })
    }

    /// Expects that a property was fed a value that a closure accepts.
    ///
    /// - Parameters:
    ///   - source: Where the value comes from.
    ///   - destination: Name of the property.
    ///   - evaluation: Is given the value if it is of the type asked for; what it throws is the
    ///     error of the test.
    public init<Value>(
        _ source: SourcePath, to destination: String,
        where evaluation: @escaping (Value) throws -> Bool
    ) {
        self.init(
            source, destination, .evaluation { try ($0 as? Value).map(evaluation) ?? false })
    }

    /// Expects that a property was fed objects of a certain mapping.
    public init(_ source: SourcePath, to destination: String, mapping: Mapping) {
        self.init(source, destination, .mapping(mapping))
    }

    private init(_ source: SourcePath, _ destination: String, _ check: Check) {
        self.source = source
        self.destination = destination
        self.check = check
    }
}

extension MappingExpectation: CustomStringConvertible {
    /// Source and destination.
    public var description: String {
        let place = source.components.isEmpty ? "the representation" : "'\(source)'"
        return "\(place) to '\(destination)'"
    }
}
