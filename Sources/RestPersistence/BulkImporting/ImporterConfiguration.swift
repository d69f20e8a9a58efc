// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// The configuration of a ``ManagedObjectImporter``.
public struct ImporterConfiguration: Sendable {
    /// The time at which an importer saves.
    public enum Saving: Sendable, Hashable {
        /// Objects are saved in chunks, each with the position in its source.
        ///
        /// The memory use does not depend on the size of the sources, and an import that was
        /// interrupted continues after the last chunk. A required relationship must have its
        /// destination by the end of the chunk; ``EntityRules/connections`` are made at the end.
        case chunks
        /// All objects are saved by ``ManagedObjectImporter/finish()``, in one transaction.
        ///
        /// All objects are in memory until then, and an interrupted import has no effect.
        case whenFinished
    }

    /// The name of the import, by which the file knows its position; `"import"` by default.
    public var name: String
    /// The time of saving; ``Saving/chunks`` by default.
    public var saving: Saving
    /// The maximum number of elements in a chunk; 5,000 by default.
    public var chunkCount: Int
    /// The number of bytes of text after which a chunk ends; 4 MiB by default.
    public var chunkByteCount: Int
    /// A Boolean value that indicates whether all objects of the store are deleted before the first
    /// import.
    ///
    /// They are deleted in the transaction that saves the first objects. An import that continues an
    /// interrupted one deletes nothing. The memory use is proportional to the number of deleted
    /// objects.
    public var resetsStore: Bool
    /// A Boolean value that indicates whether the importer continues an interrupted import of the same
    /// name; `true` by default.
    public var resumes: Bool
    /// The formats of files other than JSON and JSON Lines, which are read as a whole.
    public var formats: FormatRegistry
    /// The limits for each element, and for each file that is read as a whole.
    public var limits: ParseLimits
    /// The documents in which sources that begin with `@metadata` are looked up.
    public var metadata: [Document]
    /// A closure that is called after each chunk, on the importer's queue.
    public var progress: (@Sendable (ImportProgress) -> Void)?

    /// Creates a configuration.
    public init(
        name: String = "import", saving: Saving = .chunks, chunkCount: Int = 5_000,
        chunkByteCount: Int = 1 << 22, resetsStore: Bool = false, resumes: Bool = true,
        formats: FormatRegistry = .standard, limits: ParseLimits = .default,
        metadata: [Document] = [], progress: (@Sendable (ImportProgress) -> Void)? = nil
    ) {
        self.name = name
        self.saving = saving
        self.chunkCount = chunkCount
        self.chunkByteCount = chunkByteCount
        self.resetsStore = resetsStore
        self.resumes = resumes
        self.formats = formats
        self.limits = limits
        self.metadata = metadata
        self.progress = progress
    }
}
