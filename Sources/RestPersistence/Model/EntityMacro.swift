// SPDX-License-Identifier: Apache-2.0

#if Macros
public import RestMapping

/// Declares a subclass of `ManagedObject` as an entity.
///
/// ```swift
/// @Entity final class Airport: ManagedObject {
///     @Identity var code: String
///     var name: String
///     @MappedKey("opened_at") var openedAt: Date?
///     var passengers: Int = 0
///     @Inverse(\Terminal.airport) var terminals: Set<Terminal>
/// }
/// ```
///
/// Each variable becomes a property of the entity: a `Set` of entities is a to-many relationship, an
/// optional entity is a to-one relationship, and any other type is an attribute. A default value is
/// the value of new objects. `@MappedKey` sets another key in representations. A property with
/// `@MappedIgnored` is neither stored nor mapped.
///
/// - Parameters:
///   - name: The name of the entity; `nil` for the name of the class.
///   - keys: The style of keys in representations, for properties without `@MappedKey`.
@attached(member, names: named(entity))
@attached(memberAttribute)
@attached(extension, conformances: ManagedEntity)
public macro Entity(name: String? = nil, keys: KeyStyle = .asDeclared) =
    #externalMacro(module: "RestMacros", type: "EntityMacro")

/// Declares an attribute as an identification attribute.
///
/// The combination of all identification attributes of an entity is unique.
@attached(peer)
public macro Identity() = #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Declares the inverse of a relationship by key path.
///
/// Declare it on one of the two relationships only: with key paths on both, the compiler reports a
/// circular reference.
///
/// - Parameter path: The inverse relationship, such as `\Terminal.airport`.
@attached(peer)
public macro Inverse(_ path: AnyKeyPath) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Declares the inverse of a relationship by name.
///
/// Use it for a relationship that is its own inverse, or to declare the inverse on both
/// relationships. The compiler checks the name.
///
/// - Parameter property: The name of the inverse relationship.
@attached(peer)
public macro Inverse(_ property: StaticString) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Adds accessors that read and write a property through the object's context; `@Entity` adds it.
@attached(accessor)
public macro ManagedProperty(_ index: Int) =
    #externalMacro(module: "RestMacros", type: "ManagedPropertyMacro")
#endif
