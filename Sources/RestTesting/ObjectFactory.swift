// SPDX-License-Identifier: Apache-2.0

/// A factory of test objects, with a definition for each kind of object.
///
///     let factory = ObjectFactory()
///     factory.define(Article.self) { Article(id: 1, title: "First") }
///     let draft = try factory.make(Article.self) { $0.title = "Draft" }
///
/// A factory belongs to one test, and so do its shared objects, which keeps tests independent.
public final class ObjectFactory {
    private struct Key: Hashable {
        let type: ObjectIdentifier
        let name: String
    }

    private var definitions: [Key: () throws -> Any] = [:]
    private var instances: [Key: Any] = [:]

    /// Creates a factory without definitions.
    public init() {}

    /// Defines how objects of a type are created.
    ///
    /// This replaces an earlier definition with the same type and name, and removes its shared object.
    ///
    /// - Parameters:
    ///   - type: The type of the objects.
    ///   - name: A name that distinguishes several definitions of one type.
    ///   - make: A function that returns a new object.
    public func define<Object>(
        _ type: Object.Type, named name: String = "", _ make: @escaping () throws -> Object
    ) {
        let key = Key(type: ObjectIdentifier(type), name: name)
        definitions[key] = make
        instances[key] = nil
    }

    /// Creates a new object.
    ///
    /// - Parameters:
    ///   - type: The type of the object.
    ///   - name: The name of the definition.
    ///   - change: A closure that changes the object before it is returned.
    /// - Returns: The object.
    /// - Throws: ``ObjectFactoryError`` if there is no such definition, or an error of the definition.
    public func make<Object>(
        _ type: Object.Type, named name: String = "",
        _ change: (inout Object) throws -> Void = { _ in }
    ) throws -> Object {
        let key = Key(type: ObjectIdentifier(type), name: name)
        guard let definition = definitions[key], var object = try definition() as? Object else {
            let title = name.isEmpty ? "\(type)" : "\(type) named '\(name)'"
            throw ObjectFactoryError("no definition of \(title)")
        }
        try change(&object)
        return object
    }

    /// Returns the shared object of a definition, which is created on first use.
    ///
    /// - Throws: ``ObjectFactoryError`` if there is no such definition, or an error of the definition.
    public func shared<Object>(_ type: Object.Type, named name: String = "") throws -> Object {
        let key = Key(type: ObjectIdentifier(type), name: name)
        if let shared = instances[key] as? Object { return shared }
        let object = try make(type, named: name)
        instances[key] = object
        return object
    }

    /// Removes the shared objects and keeps the definitions.
    public func reset() { instances = [:] }
}

/// The error of an object that a factory cannot create.
public struct ObjectFactoryError: Error, Sendable, CustomStringConvertible {
    /// One line with the type and the name of the missing definition.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
