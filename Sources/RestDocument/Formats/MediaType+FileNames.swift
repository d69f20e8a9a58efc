// SPDX-License-Identifier: Apache-2.0

extension MediaType {
    /// Creates the usual media type for the extension of a file name; `nil` for an unknown or
    /// missing extension.
    ///
    /// - Parameter fileName: A name, or a path with slashes. The extension follows the last dot of
    ///   the last path component; its case is ignored. A name with a leading dot only has no
    ///   extension.
    /// - Source: The IANA registry of media types, and RFC 9512 for YAML.
    public init?(fileName: String) {
        let name = fileName.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex,
            let text = Self.typesByExtension[name[name.index(after: dot)...].lowercased()]
        else { return nil }
        self.init(parsing: text)
    }

    private static let typesByExtension: [String: String] = [
        // Data
        "json": "application/json", "geojson": "application/geo+json",
        "jsonl": "application/jsonl", "ndjson": "application/x-ndjson",
        "jsonld": "application/ld+json", "xml": "application/xml", "yaml": "application/yaml",
        "yml": "application/yaml", "csv": "text/csv", "tsv": "text/tab-separated-values",
        "plist": "application/x-plist", "sqlite": "application/vnd.sqlite3",
        "wasm": "application/wasm", "bin": "application/octet-stream",
        // Text
        "txt": "text/plain", "md": "text/markdown", "html": "text/html", "htm": "text/html",
        "xhtml": "application/xhtml+xml", "css": "text/css", "js": "text/javascript",
        "mjs": "text/javascript", "ics": "text/calendar", "vcf": "text/vcard",
        "pdf": "application/pdf", "rtf": "application/rtf", "epub": "application/epub+zip",
        // Archives
        "zip": "application/zip", "gz": "application/gzip", "tar": "application/x-tar",
        "7z": "application/x-7z-compressed", "zst": "application/zstd",
        // Images
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
        "webp": "image/webp", "avif": "image/avif", "heic": "image/heic", "heif": "image/heif",
        "svg": "image/svg+xml", "bmp": "image/bmp", "ico": "image/vnd.microsoft.icon",
        "tif": "image/tiff", "tiff": "image/tiff",
        // Audio and video
        "mp3": "audio/mpeg", "m4a": "audio/mp4", "aac": "audio/aac", "wav": "audio/vnd.wave",
        "flac": "audio/flac", "ogg": "audio/ogg", "mp4": "video/mp4", "m4v": "video/mp4",
        "mov": "video/quicktime", "webm": "video/webm", "mpeg": "video/mpeg",
        // Fonts
        "otf": "font/otf", "ttf": "font/ttf", "woff": "font/woff", "woff2": "font/woff2",
        // Office documents
        "doc": "application/msword", "xls": "application/vnd.ms-excel",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ]
}
