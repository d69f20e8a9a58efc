// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// An expected assignment of a mapping: from a source path to a property.
///
/// Source and property are relative to the object of the property mapping, at any depth.
public struct MappingExpectation {
    enum Check {
        case occurrence
        case value(expected: String, isEqual: (Any) -> Bool)
        case evaluation((Any) throws -> Bool)
        case mapping(Mapping)
    }

    /// The source path of the value; empty for the representation itself.
    public let source: SourcePath
    /// The name of the property.
    public let destination: String
    let check: Check

    /// Creates an expectation that a property is assigned a value from a source path.
    ///
    /// A value that the property already had counts as assigned.
    public init(_ source: SourcePath, to destination: String) {
        self.init(source, destination, .occurrence)
    }

    /// Creates an expectation that a property is assigned a certain value.
    public init<Value: Equatable>(
        _ source: SourcePath, to destination: String, value: Value
    ) {
        self.init(
            source, destination,
            .value(expected: AssignmentLog.text(of: value)) { ($0 as? Value) == value })
    }

    /// Creates an expectation that a property is assigned a value that a closure accepts.
    ///
    /// - Parameters:
    ///   - source: The source path of the value.
    ///   - destination: The name of the property.
    ///   - evaluation: A closure that accepts or rejects values of its parameter type. A value of
    ///     another type is rejected. An error that it throws is the error of the test.
    public init<Value>(
        _ source: SourcePath, to destination: String,
        where evaluation: @escaping (Value) throws -> Bool
    ) {
        self.init(
            source, destination, .evaluation { try ($0 as? Value).map(evaluation) ?? false })
    }

    /// Creates an expectation that a relationship is assigned objects of a certain mapping.
    public init(_ source: SourcePath, to destination: String, mapping: Mapping) {
        self.init(source, destination, .mapping(mapping))
    }

    init(_ source: SourcePath, _ destination: String, _ check: Check) {
        self.source = source
        self.destination = destination
        self.check = check
    }
}

extension MappingExpectation: CustomStringConvertible {
    /// Source and destination.
    public var description: String {
        let origin = source.components.isEmpty ? "the representation" : "'\(source)'"
        return "\(origin) to '\(destination)'"
    }
}
