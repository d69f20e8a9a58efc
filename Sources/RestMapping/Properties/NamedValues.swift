// SPDX-License-Identifier: Apache-2.0

public import RestDocument

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

extension NamedValues {
    /// Returns a value without the optionals that wrap it, or nil.
    static func present(_ value: Any?) -> Any? {
        guard let value else { return nil }
        guard let optional = value as? any PossiblyAbsent else { return value }
        return present(optional.wrapped)
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

/// An optional in a value whose type is not known.
private protocol PossiblyAbsent {
    var wrapped: Any? { get }
}

extension Optional: PossiblyAbsent {
    fileprivate var wrapped: Any? { map { $0 as Any } }
}
