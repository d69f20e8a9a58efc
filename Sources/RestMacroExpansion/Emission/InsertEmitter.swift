// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// Emits `insert(into:…)`, which inserts an object with the values of its properties.
///
/// Its parameters are those of a memberwise initializer: a property with a default value, an
/// optional or a relationship may be omitted. A subclass that adds no required property inherits the
/// function, which returns an object of the subclass.
struct InsertEmitter {
    private let declaration: EntityDeclaration

    init(_ declaration: EntityDeclaration) {
        self.declaration = declaration
    }

    var syntax: DeclSyntax? {
        let required = declaration.properties.filter(\.isRequired)
        guard declaration.superentity == nil || !required.isEmpty else { return nil }
        // The function has at most the access of the values that it requires.
        let access = required.map(\.access).reduce(MemberAccess(declaration.access), min)
        let settable = declaration.properties.enumerated().filter {
            $0.element.isRequired || $0.element.access >= access
        }
        let parameters = settable.map { ",\n    \(parameter($0.element))" }.joined()
        let assignments = settable.map {
            "\n    managedValues.set(\(declaration.index($0.offset)), \($0.element.identifier))"
        }
        let isFinal = declaration.isFinal && declaration.superentity == nil
        let type = isFinal ? declaration.name : "Self"
        return """
            @discardableResult
            \(raw: access.prefix)\(raw: declaration.isFinal ? "static" : "class") func insert(
                into managedContext: RestPersistence.ManagedObjectContext\(raw: parameters)
            ) throws(RestPersistence.PersistenceError) -> \(raw: type) {
                \(raw: body(type, assignments))
            }
            """
    }

    private func body(_ type: String, _ assignments: [String]) -> String {
        if declaration.isRefused { return "Swift.fatalError()" }
        let type = type == "Self" ? "self" : "\(type).self"
        if assignments.isEmpty { return "try managedContext.insert(\(type))" }
        return "var managedValues = try RestPersistence.InitialValues(\(type), in: managedContext)"
            + assignments.joined() + "\n    return try managedValues.insert()"
    }

    private func parameter(_ property: ManagedProperty) -> String {
        let declared = "\(property.identifier): \(property.type)"
        if let value = property.defaultValue { return "\(declared) = \(value)" }
        switch property.kind {
        case .toMany, .attributeOrToMany: return "\(declared) = []"
        case .attribute, .toOne, .attributeOrToOne:
            return property.isOptional ? "\(declared) = nil" : declared
        }
    }
}
#endif
