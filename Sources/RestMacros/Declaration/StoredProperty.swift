// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A stored instance property as written, before anyone decides what becomes of it.
struct StoredProperty {
    /// The identifier as written, with back-ticks if it has them.
    let identifier: String
    let isConstant: Bool
    /// The annotated type, or the one its literal tells.
    let type: TypeSyntax?
    let initialValue: ExprSyntax?
    let attributes: AttributeListSyntax
    let variable: VariableDeclSyntax
    let binding: PatternBindingSyntax

    /// The name without back-ticks, which the property is known by.
    var name: String {
        identifier.hasPrefix("`") ? String(identifier.dropFirst().dropLast()) : identifier
    }

    var isOptional: Bool { type?.isOptional ?? false }

    /// Whether the declaration gives a value other than nil.
    var hasDefault: Bool {
        guard let initialValue else { return false }
        return !initialValue.is(NilLiteralExprSyntax.self)
    }

    /// Whether the property has a value before anybody assigns one.
    var startsInitialized: Bool { initialValue != nil || (isOptional && !isConstant) }

    /// A note on this property with the repairs it allows.
    func diagnose(_ message: MacroDiagnostic, fixIts: [FixIt] = []) -> Diagnostic {
        Diagnostic(node: binding.pattern, message: message, fixIts: fixIts)
    }

    /// Says that the type is missing, and offers to write down the one its initial value names.
    var missingType: Diagnostic {
        let guess = initialValue.flatMap(Self.typeNamed(by:)) ?? "<#Type#>"
        let colon = TokenSyntax.colonToken(trailingTrivia: .space)
        var repaired = binding
        repaired.pattern.trailingTrivia = []
        repaired.typeAnnotation = TypeAnnotationSyntax(
            colon: colon, type: TypeSyntax(stringLiteral: guess),
            trailingTrivia: binding.pattern.trailingTrivia)
        return diagnose(
            .missingType(property: name),
            fixIts: [
                .replace(message: MacroFixIt.addType(guess), oldNode: binding, newNode: repaired)
            ])
    }
}

extension StoredProperty {
    /// The stored instance properties of a type, in source order.
    ///
    /// Static, computed and lazy properties are not storage to be mapped and are left out; one of
    /// the `markers` on them is reported.
    static func all(
        in members: MemberBlockItemListSyntax, markers: [PropertyMarker],
        diagnostics: inout [Diagnostic]
    ) -> [StoredProperty] {
        var properties: [StoredProperty] = []
        for member in members {
            if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                diagnostics += condition.storedVariables.map {
                    Diagnostic(node: $0, message: MacroDiagnostic.conditionalStorage)
                }
            }
            guard let variable = member.decl.as(VariableDeclSyntax.self) else { continue }
            let stored = variable.isInstanceStorage ? variable.storedBindings : []
            if stored.isEmpty {
                diagnostics += variable.attributes
                    .compactMap { $0.as(AttributeSyntax.self) }
                    .filter { markers.map(\.rawValue).contains($0.baseName) }
                    .map { $0.notStored(on: variable) }
            }
            for (binding, type) in stored {
                if binding.pattern.is(TuplePatternSyntax.self) {
                    diagnostics.append(
                        Diagnostic(node: binding.pattern, message: MacroDiagnostic.tuplePattern))
                }
                guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
                    continue
                }
                properties.append(
                    StoredProperty(
                        identifier: pattern.identifier.text,
                        isConstant: variable.bindingSpecifier.tokenKind == .keyword(.let),
                        type: type ?? binding.initializer.flatMap { typeOfLiteral($0.value) },
                        initialValue: binding.initializer?.value,
                        attributes: variable.attributes,
                        variable: variable, binding: binding))
            }
        }
        return properties
    }

    /// The type Swift gives an unannotated literal, or the one that the value is written `as`.
    private static func typeOfLiteral(_ value: ExprSyntax) -> TypeSyntax? {
        if let type = value.castType { return type }
        if let signed = value.as(PrefixOperatorExprSyntax.self) {
            let isNumber =
                signed.expression.is(IntegerLiteralExprSyntax.self)
                || signed.expression.is(FloatLiteralExprSyntax.self)
            return isNumber ? typeOfLiteral(signed.expression) : nil
        }
        if value.is(IntegerLiteralExprSyntax.self) { return "Int" }
        if value.is(FloatLiteralExprSyntax.self) { return "Double" }
        if value.is(BooleanLiteralExprSyntax.self) { return "Bool" }
        if value.is(StringLiteralExprSyntax.self) { return "String" }
        return nil
    }

    /// The type an initial value probably has, good enough to offer, not to rely on.
    ///
    /// That is `[String]` for `[String]()` and `Author` for `Author(name: "")`.
    private static func typeNamed(by value: ExprSyntax) -> String? {
        guard let call = value.as(FunctionCallExprSyntax.self) else { return nil }
        let callee = call.calledExpression.trimmedDescription
        let isCollection =
            call.calledExpression.is(ArrayExprSyntax.self)
            || call.calledExpression.is(DictionaryExprSyntax.self)
        let last = callee.split(separator: ".").last ?? ""
        return isCollection || last.first?.isUppercase == true ? callee : nil
    }
}

extension VariableDeclSyntax {
    /// Whether every instance has its own storage from the start.
    fileprivate var isInstanceStorage: Bool {
        !modifiers.contains(.static) && !modifiers.contains(.class) && !modifiers.contains(.lazy)
    }

    /// The bindings with storage, each with its type: `var a, b: Int` gives both `Int`.
    fileprivate var storedBindings: [(binding: PatternBindingSyntax, type: TypeSyntax?)] {
        var stored: [(binding: PatternBindingSyntax, type: TypeSyntax?)] = []
        var following: TypeSyntax?
        for binding in bindings.reversed() {
            if let annotation = binding.typeAnnotation {
                following = annotation.type.trimmed
            } else if binding.initializer != nil {
                following = nil
            }
            if binding.isStored { stored.append((binding, following)) }
        }
        return stored.reversed()
    }
}

extension PatternBindingSyntax {
    /// Whether the binding stores a value; observers do not change that.
    fileprivate var isStored: Bool {
        switch accessorBlock?.accessors {
        case nil: true
        case .getter: false
        case .accessors(let accessors):
            accessors.allSatisfy {
                $0.accessorSpecifier.tokenKind == .keyword(.willSet)
                    || $0.accessorSpecifier.tokenKind == .keyword(.didSet)
            }
        }
    }
}

extension IfConfigDeclSyntax {
    /// The stored variables in all branches.
    fileprivate var storedVariables: [VariableDeclSyntax] {
        clauses.flatMap { clause -> [VariableDeclSyntax] in
            guard case .decls(let members)? = clause.elements else { return [] }
            return members.flatMap { member -> [VariableDeclSyntax] in
                if let nested = member.decl.as(IfConfigDeclSyntax.self) {
                    return nested.storedVariables
                }
                guard let variable = member.decl.as(VariableDeclSyntax.self),
                    variable.isInstanceStorage, !variable.storedBindings.isEmpty
                else { return [] }
                return [variable]
            }
        }
    }
}

extension AttributeSyntax {
    /// Says that there is nothing the attribute could apply to, and offers to remove it.
    fileprivate func notStored(on variable: VariableDeclSyntax) -> Diagnostic {
        Diagnostic(
            node: self, message: MacroDiagnostic.notStored(attribute: baseName),
            fixIts: [variable.fixItRemoving(self)])
    }
}

extension VariableDeclSyntax {
    /// Takes `attribute` away.
    func fixItRemoving(_ attribute: AttributeSyntax) -> FixIt {
        var repaired = self
        repaired.attributes = attributes.filter { $0.id != attribute.id }
        repaired.leadingTrivia = leadingTrivia
        return .replace(
            message: MacroFixIt.removeAttribute(attribute.baseName), oldNode: self,
            newNode: repaired)
    }
}
#endif
