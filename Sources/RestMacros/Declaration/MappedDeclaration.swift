// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A type annotated `@Mapped`, read and checked: all that emission needs to know.
struct MappedDeclaration {
    /// How a finished draft becomes an instance.
    enum Construction {
        /// A structure: an initializer in an extension, so that the memberwise one survives.
        case structure
        /// A class whose properties are all variable: its empty initializer, then assignments.
        case emptyInitializer
        /// A class with constants or without an empty initializer: a designated initializer.
        case designatedInitializer
    }

    let name: String
    let construction: Construction
    let access: AccessLevel
    /// The mapped properties; a property's place here is its index.
    let properties: [MappedProperty]
    /// Ignored properties a new value must be given or an edited copy must keep.
    let ignored: [StoredProperty]
    /// Whether static storage is forbidden, or cannot be told to be allowed.
    let isGeneric: Bool
    /// `@available` attributes, which an extension does not inherit.
    let availability: [AttributeSyntax]

    var isClass: Bool { construction != .structure }

    /// A name for a local variable that no property has.
    func freshName(_ base: String) -> String {
        var name = base
        while properties.contains(where: { $0.storage.name == name }) {
            name = "mapped" + name.prefix(1).uppercased() + name.dropFirst()
        }
        return name
    }
}

/// A stored property that takes part in mapping.
struct MappedProperty {
    let storage: StoredProperty
    let type: TypeSyntax
    /// The argument of `@MappedKey` as written, quotes included.
    let sourceKey: String?
    /// Whether there is no instance without a value from the document.
    let isRequired: Bool
}

// MARK: - Reading

extension MappedDeclaration {
    /// The attributes that configure a property.
    static let markers = ["MappedKey", "MappedIgnored"]

    /// Reads and checks a declaration; nothing if one of `diagnostics` is in the way.
    static func read(
        _ declaration: some DeclGroupSyntax, in lexicalContext: [Syntax],
        diagnostics: inout [Diagnostic]
    ) -> MappedDeclaration? {
        guard let type = MappableType(declaration, diagnostics: &diagnostics) else { return nil }
        let members = declaration.memberBlock.members
        let storage = StoredProperty.all(
            in: members, markers: markers, diagnostics: &diagnostics)
        for taken in ["Draft"] where members.contains(where: { $0.decl.declaresType(taken) }) {
            diagnostics.append(
                Diagnostic(
                    node: type.name,
                    message: MacroDiagnostic.memberTaken(macro: "Mapped", member: taken)))
        }

        var ignored: [StoredProperty] = []
        var mapped: [(storage: StoredProperty, type: TypeSyntax, sourceKey: String?)] = []
        for property in storage {
            let markers = property.attributes.named("MappedKey", "MappedIgnored")
            property.checkConflicts(of: markers, diagnostics: &diagnostics)
            if markers.contains(where: { $0.baseName == "MappedIgnored" }) {
                property.checkIgnored(diagnostics: &diagnostics)
                ignored.append(property)
                continue
            }
            let sourceKey = markers.first.flatMap { $0.sourceKey(diagnostics: &diagnostics) }
            property.checkAssignable(diagnostics: &diagnostics)
            guard let type = property.type else {
                diagnostics.append(property.missingType)
                continue
            }
            mapped.append((property, type, sourceKey))
        }
        guard diagnostics.isEmpty else { return nil }

        let construction = type.construction(
            storage: storage, mapped: mapped.map(\.storage), members: members)
        return MappedDeclaration(
            name: type.name.text,
            construction: construction,
            access: AccessLevel(of: declaration.modifiers, in: lexicalContext),
            properties: mapped.map {
                MappedProperty(
                    storage: $0.storage, type: $0.type, sourceKey: $0.sourceKey,
                    isRequired: construction != .emptyInitializer
                        && !$0.storage.hasDefault && !$0.storage.isOptional)
            },
            ignored: ignored.filter { !($0.isConstant && $0.initialValue != nil) },
            isGeneric: type.isGeneric || lexicalContext.contains(where: \.mayBeGeneric),
            availability: declaration.attributes.named("available"))
    }
}

extension StoredProperty {
    fileprivate func checkConflicts(
        of markers: [AttributeSyntax], diagnostics: inout [Diagnostic]
    ) {
        guard let first = markers.first else { return }
        diagnostics += markers.dropFirst().map {
            Diagnostic(
                node: $0,
                message: MacroDiagnostic.conflictingAttributes(
                    first: first.baseName, second: $0.baseName),
                fixIts: [variable.fixItRemoving($0)])
        }
    }

    fileprivate func checkIgnored(diagnostics: inout [Diagnostic]) {
        guard initialValue == nil, !isOptional else { return }
        diagnostics.append(diagnose(.ignoredWithoutValue(property: name)))
    }

    fileprivate func checkAssignable(diagnostics: inout [Diagnostic]) {
        guard isConstant, initialValue != nil else { return }
        var variable = self.variable
        variable.bindingSpecifier.tokenKind = .keyword(.var)
        let ignored = AttributeSyntax(
            leadingTrivia: self.variable.leadingTrivia,
            attributeName: IdentifierTypeSyntax(name: "MappedIgnored"), trailingTrivia: .space)
        var unmapped = self.variable
        unmapped.leadingTrivia = []
        unmapped.attributes.insert(.attribute(ignored), at: unmapped.attributes.startIndex)
        diagnostics.append(
            diagnose(
                .initializedConstant(property: name),
                fixIts: [
                    .replace(
                        message: MacroFixIt.makeVariable, oldNode: self.variable,
                        newNode: variable),
                    .replace(
                        message: MacroFixIt.ignoreProperty, oldNode: self.variable,
                        newNode: unmapped),
                ]))
    }
}

extension AttributeSyntax {
    /// The argument of `@MappedKey` as written, if this is one.
    fileprivate func sourceKey(diagnostics: inout [Diagnostic]) -> String? {
        guard baseName == "MappedKey" else { return nil }
        let argument = labeledArguments.first?.expression
        guard let literal = argument?.as(StringLiteralExprSyntax.self),
            literal.segments.allSatisfy({ $0.is(StringSegmentSyntax.self) })
        else {
            diagnostics.append(
                Diagnostic(
                    node: argument.map(Syntax.init) ?? Syntax(self),
                    message: MacroDiagnostic.sourceKeyNotLiteral))
            return nil
        }
        if literal.segments.description.isEmpty {
            diagnostics.append(
                Diagnostic(node: literal, message: MacroDiagnostic.emptySourceKey))
        }
        return literal.trimmedDescription
    }
}

extension DeclSyntax {
    /// Whether this declares a nested type or a type alias of that name.
    fileprivate func declaresType(_ name: String) -> Bool {
        if let alias = self.as(TypeAliasDeclSyntax.self) { return alias.name.text == name }
        guard asProtocol((any DeclGroupSyntax).self) != nil else { return false }
        return asProtocol((any NamedDeclSyntax).self)?.name.text == name
    }
}

extension Syntax {
    /// Whether a type nested in this may have generic parameters from it.
    ///
    /// What an extension extends is not known here, so it may.
    fileprivate var mayBeGeneric: Bool {
        if self.is(ExtensionDeclSyntax.self) { return true }
        return asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
    }
}
#endif
