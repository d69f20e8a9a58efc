// SPDX-License-Identifier: Apache-2.0

public import RestDocument

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An object whose values can be read by the names of its properties.
///
/// It serves names from outside the program's types, such as the parameters of a path pattern, and
/// is slower than access to the properties. Every type with a ``PropertyTable`` conforms.
public protocol NamedValues {
    /// Returns the value of one property; nil if it is nil.
    ///
    /// - Throws: ``MappingError`` with code ``MappingError/Code/unknownProperty`` if there is no
    ///   such property.
    func value(named name: String) throws(MappingError) -> Any?
}

extension NamedValues {
    /// Returns the value at a path of names, such as `author.name` or `tags[0]`.
    ///
    /// A name is a property of an object or a key of a dictionary; an index is the position of an
    /// array's element.
    ///
    /// - Returns: The value; nil if it, or a value along the path, is nil or missing.
    /// - Throws: ``MappingError`` with code ``MappingError/Code/unknownProperty`` for a name that
    ///   an object along the path has no property of, or that follows a value without properties.
    public func value(at path: DocumentPath) throws(MappingError) -> Any? {
        var value: Any = self
        for component in path.components {
            guard let next = try Self.value(at: component, of: value) else { return nil }
            value = next
        }
        return value
    }

    /// Returns the value at a path of names as text for a URL.
    ///
    /// An enumeration is written as its raw value, any other value but a date as its description.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - dates: The format of dates.
    /// - Returns: The text; nil if there is no value, or one that a URL cannot contain, such as an
    ///   array.
    /// - Throws: ``MappingError`` under the conditions of ``value(at:)``.
    public func text(
        at path: DocumentPath, dates: DateFormat = .iso8601
    ) throws(MappingError) -> String? {
        try value(at: path).flatMap { Self.text(of: $0, dates) }
    }

    private static func text(of value: Any, _ dates: DateFormat) -> String? {
        switch value {
        case let text as String: text
        case let date as Date: dates.text(from: date)
        case let value as any RawRepresentable: text(of: value.rawValue, dates)
        case is any Collection, is any NamedValues: nil
        case let value as any CustomStringConvertible: value.description
        default: nil
        }
    }

    private static func value(
        at component: DocumentPath.Component, of value: Any
    ) throws(MappingError) -> Any? {
        switch (component, value) {
        case (.key(let name), let object as any NamedValues): try object.value(named: name)
        case (.key(let name), let values as [String: Any]): present(values[name])
        case (.index(let position), let values as [Any]):
            values.indices.contains(position) ? present(values[position]) : nil
        default:
            throw .unknownProperty(
                "\(DocumentPath([component]))", of: "\(type(of: value))", among: [])
        }
    }
}

extension MappingSubject {
    /// Returns the value of one property, read through its key path.
    ///
    /// - Complexity: O(*n*) in the number of properties.
    public func value(named name: String) throws(MappingError) -> Any? {
        try typedValue(named: name)
    }

    /// Returns the value of one property in its Swift type.
    package func typedValue(named name: String) throws(MappingError) -> Any? {
        let table = type(of: self).properties
        guard let index = table.index(of: name), let keyPath = table.properties[index].keyPath
        else {
            throw .unknownProperty(name, of: table.name, among: table.properties.map(\.name))
        }
        return present((self as Any)[keyPath: keyPath as AnyKeyPath])
    }
}

extension MappingError {
    /// Returns the error of a property whose value cannot be read.
    package static func unreadable(
        _ name: String, of type: String, details: [String]
    ) -> MappingError {
        MappingError(
            .invalidObject, mapping: type,
            issue: MappingIssue(
                path: DocumentPath([.key(name)]), mapping: type, property: name,
                code: .malformedValue, expected: "a value of the property's type",
                found: details.joined(separator: "; ")))
    }

    package static func unknownProperty(
        _ name: String, of type: String, among known: [String]
    ) -> MappingError {
        MappingError(
            .unknownProperty, mapping: type,
            diagnostics: [
                PlanDiagnostic(
                    code: .unknownProperty, mapping: type, name: name,
                    suggestion: PlanDiagnostic.nearest(to: name, among: known))
            ])
    }
}

/// Returns a value without the optionals that wrap it, or nil.
private func present(_ value: Any?) -> Any? {
    guard let value else { return nil }
    guard let optional = value as? any PossiblyAbsent else { return value }
    return present(optional.wrapped)
}

/// An optional in a value whose type is not known.
private protocol PossiblyAbsent {
    var wrapped: Any? { get }
}

extension Optional: PossiblyAbsent {
    fileprivate var wrapped: Any? { map { $0 as Any } }
}
