// SPDX-License-Identifier: Apache-2.0

/// The limits of a run.
public enum MappingLimits {
    /// The maximum nesting depth of related objects.
    ///
    /// The stack of a background thread may have 512 kB, of which a level of a plain run needs at
    /// most 5 kB.
    public static let depth = 64

    /// The number of times a run may visit the values of its representation and of its metadata; the
    /// default of ``MappingEnvironment/passLimit``.
    ///
    /// An object counts whenever it is mapped, with everything inside it. Where each value is mapped
    /// once, there are as many passes as objects are nested, at most ``depth``. Only relationships
    /// that lead to the same values repeatedly exceed this limit: where two relationships read the
    /// same source, in objects of their own type, each level doubles the work, so that a kilobyte
    /// would keep a processor busy for years.
    public static let passes = 1024

    /// The number of bytes of stack that the levels of a run may use together.
    ///
    /// Only a program built for debugging reaches it before ``depth``, in a run that is observed or
    /// fills an object, or under mappings that are more than plain.
    public static let stackByteCount = 384 << 10
}
