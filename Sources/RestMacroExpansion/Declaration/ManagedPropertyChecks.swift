// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension StoredProperty {
    /// The default value, or `nil` if it is `nil`, which new objects have without one.
    var managedDefault: String? { hasDefault ? initialValue?.trimmedDescription : nil }

    /// Diagnoses a property that a context cannot manage.
    func checkManaged(_ markers: PropertyMarkers, diagnostics: inout [Diagnostic]) {
        if isConstant {
            diagnostics.append(
                diagnose(.managedConstant(property: name), fixIts: [makeVariable]))
        }
        if let block = binding.accessorBlock {
            diagnostics.append(
                Diagnostic(
                    node: block, message: MacroDiagnostic.managedObservers(property: name),
                    fixIts: [removeObservers]))
        }
        if variable.bindings.count > 1 {
            diagnostics.append(diagnose(.multipleManaged))
        }
        if Self.reservedNames.contains(name) {
            diagnostics.append(diagnose(.reservedName(property: name)))
        }
        guard let type = binding.typeAnnotation?.type ?? self.type else {
            diagnostics.append(missingType)
            return
        }
        if type.baseName == "Values" {
            diagnostics.append(
                Diagnostic(node: type, message: MacroDiagnostic.hiddenValues(property: name)))
        }
        for marker in [
            PropertyMarker.inverse, .deleteRule, .reference, .connected, .mappedAssignment,
        ] {
            guard let syntax = markers.syntax(of: marker) else { continue }
            checkRelationship(syntax, on: type, diagnostics: &diagnostics)
        }
        for marker in [PropertyMarker.identity, .indexed] {
            guard let syntax = markers.syntax(of: marker), type.collectionElement != nil else {
                continue
            }
            diagnostics.append(
                Diagnostic(
                    node: syntax,
                    message: MacroDiagnostic.markedCollection(
                        property: name, attribute: marker.rawValue),
                    fixIts: [variable.fixItRemoving(syntax)]))
        }
        for property in [markers.inverse, markers.referenceAttribute].compactMap(\.self) {
            checkRoot(of: property, type, diagnostics: &diagnostics)
        }
        checkReference(markers, to: type, diagnostics: &diagnostics)
        checkFormerNames(markers, diagnostics: &diagnostics)
        checkLength(markers, of: type, diagnostics: &diagnostics)
        if let syntax = markers.syntax(of: .searchable), type.isKnownNotSearchable {
            diagnostics.append(
                Diagnostic(
                    node: syntax, message: MacroDiagnostic.notSearchable(property: name),
                    fixIts: [variable.fixItRemoving(syntax)]))
        }
        checkDefault(markers, of: type, diagnostics: &diagnostics)
    }

    /// The properties of `ManagedObject`, which no subclass can declare.
    private static let reservedNames: Set<String> = [
        "changedValues", "hashValue", "isDeleted", "managedObjectContext", "managedRow", "objectID",
        "objectState",
    ]

    /// Diagnoses a key path to the property that has it as its inverse, which the compiler rejects as
    /// a circular reference.
    func checkOwnInverse(
        _ markers: PropertyMarkers, of owner: String, diagnostics: inout [Diagnostic]
    ) {
        guard let inverse = markers.inverse, inverse.root == owner, inverse.name == name else {
            return
        }
        let literal = ExprSyntax(StringLiteralExprSyntax(content: name))
        diagnostics.append(
            Diagnostic(
                node: inverse.syntax, message: MacroDiagnostic.ownInverse(property: name),
                fixIts: [
                    .replace(
                        message: MacroFixIt.replaceArgument("\"\(name)\""),
                        oldNode: inverse.syntax, newNode: literal)
                ]))
    }

    /// Diagnoses a key path whose root is another type than the destination.
    private func checkRoot(
        of property: DestinationProperty, _ type: TypeSyntax, diagnostics: inout [Diagnostic]
    ) {
        guard let root = property.root,
            let target = type.wrappedType ?? type.collectionElement, !target.isKnownValue,
            let destination = target.baseName,
            root.split(separator: ".").last.map(String.init) != destination
        else { return }
        let fixed = ExprSyntax(
            stringLiteral: "\\\(target.trimmedDescription).\(property.name)")
        diagnostics.append(
            Diagnostic(
                node: property.syntax,
                message: MacroDiagnostic.pathOfOtherType(
                    root: root, property: name, destination: destination),
                fixIts: [
                    .replace(
                        message: MacroFixIt.replaceArgument(fixed.description),
                        oldNode: property.syntax, newNode: fixed)
                ]))
    }

    /// Diagnoses a marker of relationships on an attribute or on a to-one relationship that is not
    /// optional.
    private func checkRelationship(
        _ marker: AttributeSyntax, on type: TypeSyntax, diagnostics: inout [Diagnostic]
    ) {
        let target = type.wrappedType ?? type.collectionElement
        if let target, !target.isKnownValue, target.collectionElement == nil { return }
        var fixIts = [variable.fixItRemoving(marker)]
        let isRequired = target == nil && !type.isKnownValue
        if isRequired {
            let optional = TypeSyntax(stringLiteral: "\(type.operandText)?")
            fixIts.insert(
                .replace(
                    message: MacroFixIt.replaceType(optional.description), oldNode: type,
                    newNode: optional.with(\.trailingTrivia, type.trailingTrivia)),
                at: 0)
        }
        diagnostics.append(
            Diagnostic(
                node: marker,
                message: isRequired
                    ? MacroDiagnostic.requiredRelationship(
                        property: name, attribute: marker.baseName)
                    : .notRelationship(property: name, attribute: marker.baseName),
                fixIts: fixIts))
    }

    /// Diagnoses a key path of a reference that does not name its root type, which a macro's
    /// expansion cannot infer.
    private func checkReference(
        _ markers: PropertyMarkers, to type: TypeSyntax, diagnostics: inout [Diagnostic]
    ) {
        let syntax = markers.syntax(of: .reference) ?? markers.syntax(of: .connected)
        guard
            let argument = syntax?.labeledArguments.first(where: { $0.label?.text == "by" }),
            let path = argument.expression.as(KeyPathExprSyntax.self), path.root == nil
        else { return }
        var fixIts: [FixIt] = []
        if let target = type.relationshipTarget {
            let fixed = ExprSyntax(
                stringLiteral: "\\\(target)" + path.components.trimmedDescription)
            fixIts = [
                .replace(
                    message: MacroFixIt.replaceArgument(fixed.description),
                    oldNode: ExprSyntax(path), newNode: fixed)
            ]
        }
        diagnostics.append(
            Diagnostic(
                node: path, message: MacroDiagnostic.referencePathWithoutRoot, fixIts: fixIts))
    }

    /// Diagnoses former names of which there are none, or which are the current name.
    private func checkFormerNames(
        _ markers: PropertyMarkers, diagnostics: inout [Diagnostic]
    ) {
        guard let syntax = markers.syntax(of: .renamed) else { return }
        if markers.formerNames.isEmpty {
            diagnostics.append(
                Diagnostic(
                    node: syntax, message: MacroDiagnostic.formerNameMissing,
                    fixIts: [variable.fixItRemoving(syntax)]))
        }
        for argument in syntax.labeledArguments
        where argument.expression.as(StringLiteralExprSyntax.self)?.plainText == name {
            diagnostics.append(
                Diagnostic(
                    node: argument.expression,
                    message: MacroDiagnostic.formerNameIsCurrent(property: name)))
        }
    }

    private func checkLength(
        _ markers: PropertyMarkers, of type: TypeSyntax, diagnostics: inout [Diagnostic]
    ) {
        guard let syntax = markers.syntax(of: .maximumLength) else { return }
        if type.isKnownNotText {
            diagnostics.append(
                Diagnostic(
                    node: syntax, message: MacroDiagnostic.notText(property: name),
                    fixIts: [variable.fixItRemoving(syntax)]))
        }
        let length = markers.maximumLength.flatMap { Int($0.filter { $0 != "_" }) }
        if let length, length < 1 {
            diagnostics.append(
                Diagnostic(node: syntax, message: MacroDiagnostic.lengthNotPositive))
        }
    }

    private func checkDefault(
        _ markers: PropertyMarkers, of type: TypeSyntax, diagnostics: inout [Diagnostic]
    ) {
        guard let initialValue, hasDefault else { return }
        if markers.contains(where: \.isOfRelationships),
            initialValue.as(ArrayExprSyntax.self)?.elements.isEmpty != true
        {
            diagnostics.append(
                Diagnostic(
                    node: initialValue,
                    message: MacroDiagnostic.relationshipDefault(property: name)))
        }
        if isEvaluatedOnce(initialValue, type) {
            var fixed = variable
            fixed.bindings = [binding.withoutValue(of: type)]
            diagnostics.append(
                Diagnostic(
                    node: initialValue,
                    message: MacroDiagnostic.evaluatedOnce(property: name),
                    fixIts: [
                        .replace(
                            message: MacroFixIt.removeDefault, oldNode: variable, newNode: fixed)
                    ]))
        }
    }

    /// Returns a Boolean value that indicates whether a default value is meant to differ between
    /// objects, such as `UUID()` and `Date.now`.
    private func isEvaluatedOnce(_ value: ExprSyntax, _ type: TypeSyntax) -> Bool {
        let types = ["UUID", "Date"]
        let base = (type.wrappedType ?? type).baseName ?? ""
        guard types.contains(base) else { return false }
        let text = value.trimmedDescription
        return [".now", ".init()"].contains(text)
            || ["\(base)()", "\(base).init()", "\(base).now"].contains {
                text == $0 || text == "Foundation.\($0)"
            }
    }

    /// A fix-it that removes the observers.
    private var removeObservers: FixIt {
        var fixed = binding
        fixed.accessorBlock = nil
        fixed.initializer?.trailingTrivia = []
        if fixed.initializer == nil { fixed.typeAnnotation?.trailingTrivia = [] }
        return .replace(message: MacroFixIt.removeObservers, oldNode: binding, newNode: fixed)
    }
}

extension PatternBindingSyntax {
    /// Returns the binding with a type annotation and without an initial value.
    fileprivate func withoutValue(of type: TypeSyntax) -> PatternBindingSyntax {
        var fixed = self
        fixed.initializer = nil
        fixed.pattern.trailingTrivia = []
        fixed.typeAnnotation = TypeAnnotationSyntax(
            colon: .colonToken(trailingTrivia: .space), type: type.trimmed)
        return fixed
    }
}
#endif
