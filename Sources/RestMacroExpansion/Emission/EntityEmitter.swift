// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// Emits `entity`, the description of an entity.
///
/// The functions of descriptions and objects are overloaded on the property's type, so the compiler
/// distinguishes attributes, to-one relationships and to-many relationships.
///
/// A class of a hierarchy has a computed property, which subclasses override. Its description and
/// its properties are in `Values`, whose members subclasses do not inherit. The key path of a
/// property differs between a class and its subclass, so the properties are generic over the class.
struct EntityEmitter {
    private let declaration: EntityDeclaration

    init(_ declaration: EntityDeclaration) {
        self.declaration = declaration
    }

    /// The member `entity` of the class.
    var syntax: DeclSyntax {
        guard declaration.isInHierarchy else {
            return "\(raw: declaration.access.prefix)static let entity = \(raw: description)"
        }
        let isOverride = declaration.superentity != nil
        return """
            \(raw: declaration.access.prefix)\(raw: isOverride ? "override " : "")class var entity: \
            RestPersistence.EntityDescription {
                Values.entity
            }
            """
    }

    /// The members of `Values` that describe an entity of a hierarchy.
    var hierarchyMembers: [DeclSyntax] {
        guard declaration.isInHierarchy else { return [] }
        var members: [DeclSyntax] = []
        if !declaration.isRefused {
            members.append("fileprivate static let entity = \(raw: description)")
            if let superentity = declaration.superentity {
                members.append(
                    """
                    fileprivate static let propertyOffset = \(raw: superentity).entity.propertyCount
                    """)
            }
        }
        if !declaration.isFinal {
            let list = declaration.isRefused ? "Swift.fatalError()" : properties(of: "Subentity")
            members.append(
                """
                \(raw: declaration.access.prefix)static func properties<\
                Subentity: \(raw: declaration.name)>(
                    of type: Subentity.Type
                ) -> [RestPersistence.EntityProperty<Subentity>] {
                    \(raw: list)
                }
                """)
        }
        return members
    }

    private var description: String {
        let name = declaration.name
        var arguments = ["\(name).self"]
        if let entityName = declaration.entityName { arguments.append("name: \(entityName)") }
        if let names = declaration.formerNames { arguments.append("renamedFrom: \(names)") }
        if let superentity = declaration.superentity {
            arguments.append("inheriting: \(superentity).self")
        }
        arguments.append(
            declaration.isFinal ? properties(of: name) : "properties(of: \(name).self)")
        return "RestPersistence.EntityDescription(\(arguments.joined(separator: ", ")))"
    }

    /// Returns an expression for the properties, those of the super-entity first.
    private func properties(of root: String) -> String {
        let entries = declaration.properties.map { "\n    \(entry($0, of: root))" }
        let own = "[\(entries.joined(separator: ","))]"
        guard let superentity = declaration.superentity else { return own }
        let inherited = "\(superentity).Values.properties(of: \(root).self)"
        return entries.isEmpty
            ? inherited : "RestPersistence.EntityProperty.inheriting(\(inherited), \(own))"
    }

    private func entry(_ property: ManagedProperty, of root: String) -> String {
        var arguments = ["\"\(property.name)\"", "\\\(root).\(property.identifier)"]
        if let sourceKey = property.sourceKey { arguments.append("sourceKey: \(sourceKey)") }
        if property.isIdentity { arguments.append("isIdentity: true") }
        if property.isIndexed { arguments.append("isIndexed: true") }
        if property.isSearchable { arguments.append("isSearchable: true") }
        if let length = property.maximumLength { arguments.append("maximumLength: \(length)") }
        if let value = property.defaultValue { arguments.append("default: \(value)") }
        if let form = property.identityForm, !form.isEmpty { arguments.append(form) }
        if let policy = property.policy { arguments.append("policy: \(policy)") }
        if let transform = property.transform { arguments.append("transform: \(transform)") }
        if let inverse = property.inverse { arguments.append("inverse: \"\(inverse.name)\"") }
        if let rule = property.deleteRule { arguments.append("deleteRule: \(rule)") }
        if let policy = property.assignment { arguments.append("assignment: \(policy)") }
        if let reference = property.reference {
            arguments.append("reference: RestPersistence.ReferenceDescription(\(reference))")
        }
        if !property.formerNames.isEmpty {
            arguments.append("renamedFrom: [\(property.formerNames.joined(separator: ", "))]")
        }
        let hidden = property.access == .private ? ".hidden" : ""
        return ".property(\(arguments.joined(separator: ", ")))\(hidden)"
    }
}

extension EntityDeclaration {
    /// A Boolean value that indicates whether the entity has a super-entity or may have
    /// sub-entities.
    var isInHierarchy: Bool { superentity != nil || !isFinal }

    /// Returns the index of a property among those of the class and its superclasses.
    func index(_ position: Int) -> String {
        superentity == nil || isRefused ? "\(position)" : "Values.propertyOffset + \(position)"
    }
}
#endif
