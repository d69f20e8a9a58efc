// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL
import RestTransport

/// Looks at each connection before a request goes over it, and at each response before
/// AsyncHTTPClient does.
struct ConnectionGuard: Sendable {
    /// Why a connection is not used.
    enum Refusal: Error {
        /// No certificate was shown, or one with a key that cannot be read.
        case noKey

        /// The key is one that can be broken.
        case weakKey

        /// The key is not one of those pinned.
        case foreignKey
    }

    /// The keys that the host may show; any when `nil`.
    let pins: Set<PublicKeyPin>?

    /// Has every connection looked at that a client will make.
    func watch(_ configuration: inout AsyncHTTPClient.HTTPClient.Configuration) {
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                if let tls = try? pipeline.handler(type: NIOSSLHandler.self) { try check(tls) }
                let decoder = try pipeline.handler(
                    type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(ResponseHeadGuard(), position: .after(decoder))
            }.closing(channel)
        }
        configuration.http2ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                try check(channel.pipeline.syncOperations.handler(type: NIOSSLHandler.self))
            }.closing(channel)
        }
        configuration.http2StreamChannelDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let codec = try pipeline.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
                try pipeline.addHandler(ResponseHeadGuard(), position: .after(codec))
            }
        }
    }

    private func check(_ handler: NIOSSLHandler) throws {
        guard let key = try? handler.peerCertificate?.extractPublicKey().toSPKIBytes() else {
            throw Refusal.noKey
        }
        // BoringSSL takes RSA keys of any size. The info of one holds its modulus and some thirty
        // bytes around it, so that of 2048 bits is never shorter than this.
        if key.count < 2048 / 8 + 30, key.firstRange(of: Self.rsaEncryption) != nil {
            throw Refusal.weakKey
        }
        guard let pins else { return }
        let digest = Data(SHA256.digest(of: key)).base64EncodedString()
        guard pins.contains(where: { $0.sha256 == digest }) else { throw Refusal.foreignKey }
    }

    /// The DER form of the object identifier 1.2.840.113549.1.1.1 (RFC 8017 appendix C).
    private static let rsaEncryption: [UInt8] = [
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01,
    ]
}

extension EventLoopFuture where Value == Void {
    /// Closes the channel when this fails.
    fileprivate func closing(_ channel: any Channel) -> EventLoopFuture<Void> {
        flatMapErrorThrowing { error in
            channel.close(promise: nil)
            throw error
        }
    }
}
#endif
