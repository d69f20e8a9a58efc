// SPDX-License-Identifier: Apache-2.0

/// Makes the objects that tests need, each kind from one definition.
///
///     let factory = ObjectFactory()
///     factory.define(Article.self) { Article(id: 1, title: "First") }
///     let draft = try factory.make(Article.self) { $0.title = "Draft" }
///
/// A factory belongs to one test and takes with it what it shares, so tests do not meet in it.
public final class ObjectFactory {
    private struct Key: Hashable {
        let type: ObjectIdentifier
        let name: String
    }

    private var definitions: [Key: () throws -> Any] = [:]
    private var instances: [Key: Any] = [:]

    /// Makes a factory without definitions.
    public init() {}

    /// Says how objects of a type are made; an earlier definition of that name is replaced, and an
    /// object shared under it forgotten.
    ///
    /// - Parameters:
    ///   - type: What is made.
    ///   - name: Tells several definitions for one type apart.
    ///   - make: Makes an object.
    public func define<Object>(
        _ type: Object.Type, named name: String = "", _ make: @escaping () throws -> Object
    ) {
        let key = Key(type: ObjectIdentifier(type), name: name)
        definitions[key] = make
        instances[key] = nil
    }

    /// Makes a new object.
    ///
    /// - Parameters:
    ///   - type: What is made.
    ///   - name: The definition's name.
    ///   - change: Changes the object before it is returned.
    /// - Returns: The object.
    /// - Throws: ``ObjectFactoryError`` when there is no such definition, or what it throws.
    public func make<Object>(
        _ type: Object.Type, named name: String = "",
        _ change: (inout Object) throws -> Void = { _ in }
    ) throws -> Object {
        let key = Key(type: ObjectIdentifier(type), name: name)
        guard let definition = definitions[key], var object = try definition() as? Object else {
            let title = name.isEmpty ? "\(type)" : "\(type) named '\(name)'"
            throw ObjectFactoryError("no definition makes \(title)")
        }
        try change(&object)
        return object
    }

    /// The one object of a definition that all who ask this factory share, made when first asked
    /// for.
    ///
    /// - Throws: ``ObjectFactoryError`` when there is no such definition, or what it throws.
    public func shared<Object>(_ type: Object.Type, named name: String = "") throws -> Object {
        let key = Key(type: ObjectIdentifier(type), name: name)
        if let known = instances[key] as? Object { return known }
        let object = try make(type, named: name)
        instances[key] = object
        return object
    }

    /// Forgets the objects that were shared; definitions stay.
    public func reset() { instances = [:] }
}

/// Why a factory could not make an object.
public struct ObjectFactoryError: Error, Sendable, CustomStringConvertible {
    /// One line.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
