// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// Emits `Values`, a structure with the attributes of an object and the IDs of its to-one
/// relationships.
///
/// A property that is known to be an attribute or a to-one relationship is a computed property. Any
/// other one is a property of `Fields`, whose type the dynamic members of `ManagedValues` constrain:
/// attributes and to-one relationships have a value, to-many relationships have none.
struct ValuesEmitter {
    private let declaration: EntityDeclaration
    private let lookups: LookupEmitter

    init(_ declaration: EntityDeclaration, _ lookups: LookupEmitter) {
        self.declaration = declaration
        self.lookups = lookups
    }

    var syntax: DeclSyntax {
        let access = declaration.access.prefix
        var members: [DeclSyntax] = [
            "\(raw: access)typealias Object = \(raw: declaration.name)",
            "\(raw: access)let managedRow: RestPersistence.ManagedRow",
            """
            \(raw: access)init(managedRow: RestPersistence.ManagedRow) {
                self.managedRow = managedRow
            }
            """,
        ]
        members += EntityEmitter(declaration).hierarchyMembers
        members += inheritedMembers
        var fields: [DeclSyntax] = []
        for (position, property) in declaration.properties.enumerated()
        where property.access != .private {
            switch property.kind {
            case .attribute: members.append(member(property, property.type, position))
            case .toOne:
                members.append(
                    member(property, "RestPersistence.ManagedObjectID?", position))
            case .attributeOrToOne, .attributeOrToMany:
                fields.append(field(property, position))
            case .toMany: break
            }
        }
        if !fields.isEmpty { members.append(self.fields(fields)) }
        if let member = lookups.member { members.append(member) }
        return """
            nonisolated \(raw: access)struct Values: RestPersistence.ManagedValues {
                \(raw: members.map(\.description).joined(separator: "\n"))
            }
            """
    }

    /// The values of the super-entity as members.
    private var inheritedMembers: [DeclSyntax] {
        guard let superentity = declaration.superentity else { return [] }
        let access = declaration.access.prefix
        let inherited = "\(superentity).Values"
        return [
            """
            \(raw: access)var id: \(raw: inherited).ID {
                \(raw: inherited)(managedRow: managedRow).id
            }
            """,
            """
            \(raw: access)subscript<Value>(
                dynamicMember path: Swift.KeyPath<\(raw: inherited), Value>
            ) -> Value {
                let values = \(raw: inherited)(managedRow: managedRow)
                return values[keyPath: path]
            }
            """,
        ]
    }

    private func member(
        _ property: ManagedProperty, _ type: String, _ position: Int
    ) -> DeclSyntax {
        let value =
            declaration.isRefused
            ? "Swift.fatalError()" : "managedRow.value(\(declaration.index(position)))"
        return """
            \(raw: access(of: property))var \(raw: property.identifier): \(raw: type) {
                \(raw: value)
            }
            """
    }

    private func field(_ property: ManagedProperty, _ position: Int) -> DeclSyntax {
        """
        \(raw: access(of: property))var \(raw: property.identifier): \
        RestPersistence.ManagedField<\(raw: property.type)> {
            .init(\(raw: declaration.index(position)))
        }
        """
    }

    private func fields(_ fields: [DeclSyntax]) -> DeclSyntax {
        let access = declaration.access.prefix
        return """
            \(raw: access)struct Fields: RestPersistence.ManagedFields {
                \(raw: access)init() {
                }
                \(raw: fields.map(\.description).joined(separator: "\n"))
            }
            """
    }

    private func access(of property: ManagedProperty) -> String {
        min(MemberAccess(declaration.access), property.access).prefix
    }
}
#endif
